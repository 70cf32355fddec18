//===- SizesAt.h - the option --at ------------------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_SIZESAT_H
#define HEDDLE_TOOLS_SIZESAT_H

#include "Command.h"

#include "heddle/Ranges.h"

namespace heddle {

/// Declares --at. It excludes `input`, since an input file itself determines the sizes.
void addAt(CLI::App &app, std::vector<std::string> &at, CLI::Option *input);

/// Returns all combinations of the sizes of --at, in the order of --at. A size that --at does not name has two values,
/// the minimum and the maximum of its range, or the minimum and the maximum of each of its classes. Prints an error of
/// usage for a name that is not a size in a range, and for a number outside of its range.
mlir::FailureOr<std::vector<SizeValues>> sizesAt(llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<SizeClass> classes,
                                                 llvm::ArrayRef<std::string> at);

} // namespace heddle

#endif // HEDDLE_TOOLS_SIZESAT_H
