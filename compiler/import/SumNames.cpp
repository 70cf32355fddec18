//===- SumNames.cpp - sums of sizes that have a name of their own ---------===//

#include "SumNames.h"

#include "Sums.h"
#include "SymbolicImport.h"

using namespace mlir;
using namespace heddle;

std::string heddle::findSumName(MLIRContext &context, StringRef name, const ImportOptions &options,
                                function_ref<FailureOr<Model>(const ImportOptions &)> import) {
  ImportOptions probe = options;
  probe.openDims = nullptr;
  probe.wrongUsage = nullptr;
  probe.ranges.clear();
  std::vector<std::string> names;
  for (const DimRange &range : options.ranges)
    names.push_back(range.name);
  for (StringRef dim : options.dims.keys())
    names.push_back(dim.str());
  if (names.size() > mostSizes || name.find_first_of(" +-*/(") != StringRef::npos) // an expression says what it is
    return "";
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  auto isModel = [&](int64_t size) {
    probe.dims[name] = size;
    return succeeded(import(probe));
  };
  // No two sizes, and none and 1, have the sum of others. With one set of them a multiple of 3, or another name of one
  // size, may look like a sum: not with both.
  auto isSum = [&](ArrayRef<unsigned> terms, int64_t number) {
    for (auto [factor, shift] : {std::pair<int64_t, int64_t>(1, 1), std::pair<int64_t, int64_t>(5, 2)}) {
      auto sizeOf = [factor = factor, shift = shift](unsigned term) { return (factor << term) + shift; };
      for (auto [term, dim] : llvm::enumerate(names))
        probe.dims[dim] = sizeOf(term);
      int64_t size = number;
      for (unsigned term : terms)
        size += sizeOf(term);
      if (!isModel(size) || isModel(size - 1) || isModel(size + 1))
        return false;
    }
    return true;
  };
  for (unsigned first = 0; first < names.size(); ++first) {
    for (unsigned second = first + 1; second < names.size(); ++second)
      if (isSum({first, second}, 0))
        return nameOf({{names[first], names[second]}});
    if (isSum({first}, 1))
      return nameOf({{names[first]}, 1});
  }
  return "";
}
