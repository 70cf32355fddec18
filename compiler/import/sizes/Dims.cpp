//===- Dims.cpp - sizes of named dimensions in the options ----------------===//

#include "Dim.h"
#include "ImportTask.h"
#include "Sums.h"

#include "heddle/ShellWord.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

LogicalResult heddle::checkDimNames(Location loc, const ImportTask &options, ArrayRef<std::string> known) {
  for (StringRef name : options.dims.keys()) {
    if (llvm::is_contained(known, name))
      continue;
    options.setWrongUsage();
    InFlightDiagnostic error = emitError(loc) << "the model has no dimension '" << name << "'; ";
    if (known.empty())
      return error << "all its sizes are fixed";
    return error << "its dimensions are " << llvm::join(known, ", ");
  }
  return success();
}

FailureOr<std::optional<int64_t>> heddle::sizeOfDim(Location loc, const ImportTask &options, StringRef name,
                                                    ArrayRef<std::string> names, bool &isSum) {
  auto find = [&](StringRef name) {
    auto given = options.dims.find(name);
    return given == options.dims.end() ? std::nullopt : std::optional(given->second);
  };
  std::optional<int64_t> given = find(name);
  std::optional<DimSum> sum = parseSum(name, names);
  isSum = sum.has_value();
  if (!sum)
    return given;
  Dim total = sum->plus;
  for (const std::string &term : sum->terms) {
    std::optional<int64_t> size = find(term);
    if (!size)
      return std::optional<int64_t>();
    total += dimOf(*size);
  }
  bool hasRange = options.bounds.contains(name);
  if (!given || (!hasRange && dimOf(*given) == total))
    return std::optional(numberOf(total));
  options.setWrongUsage();
  if (hasRange)
    return emitError(loc) << name
                          << " is a sum of other sizes, so it cannot have a range; give ranges to the other sizes";
  return emitError(loc) << name << " is " << total.text() << " in this model, the sum of other sizes, not "
                        << dimOf(*given).text();
}

void heddle::addOpenDim(SmallVectorImpl<OpenDim> &open, StringRef name, SizePlace place) {
  auto *known = llvm::find_if(open, [&](const OpenDim &dim) { return dim.name == name; });
  if (known == open.end()) {
    open.push_back({name.str(), name.contains_insensitive("batch") ? 1 : 16, {}});
    known = &open.back();
  }
  known->places.push_back(std::move(place));
}

LogicalResult heddle::reportOpenDims(Location loc, const ImportTask &options, ArrayRef<OpenDim> open) {
  if (open.empty())
    return success();
  std::string names, flags;
  for (const OpenDim &dim : open) {
    names += (names.empty() ? "" : ", ") + dim.name;
    flags += " --dim " + shellWord(dim.name + "=" + std::to_string(dim.suggestion));
  }
  if (options.result)
    options.result->openDims.assign(open.begin(), open.end());
  options.setWrongUsage();
  return emitError(loc) << "the model leaves sizes open: " << names << "; give them, for example" << flags;
}
