//===- Dims.cpp - symbolic dimensions that the user gave or forgot --------===//

#include "heddle/Import.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

std::optional<int64_t> SizeOptions::standIn(size_t number) const {
  // Larger than any tile. The first are far from the others, so that what is decided by how large they are shows.
  static constexpr int64_t stands[choices][8] = {{4001, 4003, 4007, 4013, 4019, 4021, 4027, 4049},
                                                 {67, 71, 73, 79, 83, 89, 97, 101},
                                                 {103, 107, 109, 113, 127, 131, 137, 139},
                                                 {149, 151, 157, 163, 167, 173, 179, 181}};
  return number < std::size(stands[0]) ? std::optional(stands[primes][number]) : std::nullopt;
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
