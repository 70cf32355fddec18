//===- Dims.cpp - symbolic dimensions that the user gave or forgot --------===//

#include "AnySizes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

bool heddle::isPrime(int64_t number) {
  for (int64_t i = 2; i * i <= number; ++i)
    if (number % i == 0)
      return false;
  return number > 1;
}

std::optional<int64_t> SizeOptions::standIn(ArrayRef<int64_t> taken, int64_t most) const {
  // Larger than any tile, where that may be. The first are far from the others, so that what is decided by how large
  // they are shows; and none of the others is one of the first, which are the largest that may be.
  static constexpr struct {
    int64_t largest, eighths;
  } bounds[choices] = {{4001, 8}, {101, 4}, {139, 3}, {181, 6}};
  auto [largest, eighths] = bounds[primes];
  for (int64_t number = std::min(largest, most / 8 * eighths + most % 8 * eighths / 8); number > 1; --number)
    if (isPrime(number) && !llvm::is_contained(taken, number))
      return number;
  return std::nullopt;
}

LogicalResult heddle::checkDimNames(Location loc, const ImportOptions &options, ArrayRef<std::string> known) {
  for (StringRef name : options.dims.keys()) {
    if (llvm::is_contained(known, name))
      continue;
    if (options.wrongUsage)
      *options.wrongUsage = true;
    InFlightDiagnostic error = emitError(loc) << "the model has no dimension '" << name << "'; ";
    if (known.empty())
      return error << "all its sizes are fixed";
    return error << "it has " << llvm::join(known, ", ");
  }
  return success();
}

void heddle::addOpenDim(SmallVectorImpl<OpenDim> &open, StringRef name, SizePlace place) {
  auto *known = llvm::find_if(open, [&](const OpenDim &dim) { return dim.name == name; });
  if (known == open.end()) {
    open.push_back({name.str(), name.contains_insensitive("batch") ? 1 : 16, {}});
    known = &open.back();
  }
  known->places.push_back(std::move(place));
}

LogicalResult heddle::reportOpenDims(Location loc, const ImportOptions &options, ArrayRef<OpenDim> open) {
  if (open.empty())
    return success();
  std::string names, flags;
  for (const OpenDim &dim : open) {
    names += (names.empty() ? "" : ", ") + dim.name;
    flags += " --dim " + dim.name + "=" + std::to_string(dim.suggestion);
  }
  if (options.openDims)
    options.openDims->assign(open.begin(), open.end());
  if (options.wrongUsage)
    *options.wrongUsage = true;
  return emitError(loc) << "the model leaves sizes open: " << names << "; give them, for example" << flags;
}
