//===- SumNames.cpp - sums of sizes that have a name of their own ---------===//

#include "SumNames.h"

#include "AnySizes.h"
#include "Sums.h"

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
  // No two of them, and none and 1, have the sum of others.
  for (auto [number, dim] : llvm::enumerate(names))
    probe.dims[dim] = (int64_t(1) << number) + 1;
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  auto isModel = [&](int64_t size) {
    probe.dims[name] = size;
    return succeeded(import(probe));
  };
  auto isIt = [&](int64_t size) { return isModel(size) && !isModel(size - 1) && !isModel(size + 1); };
  for (auto [number, first] : llvm::enumerate(names)) {
    int64_t size = probe.dims[first];
    for (const std::string &second : ArrayRef(names).drop_front(number + 1))
      if (isIt(size + probe.dims[second]))
        return nameOf({{first, second}});
    if (isIt(size + 1))
      return nameOf({{first}, 1});
  }
  return "";
}
