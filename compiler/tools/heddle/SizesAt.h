//===- SizesAt.h - --at ------------------------------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_SIZESAT_H
#define HEDDLE_TOOLS_SIZESAT_H

#include "Command.h"

#include "heddle/Ranges.h"

namespace heddle {

/// Declares --at. An input file tells sizes itself: `input` excludes it.
void addAt(CLI::App &app, std::vector<std::string> &at, CLI::Option *input);

/// All combinations of the sizes of --at, in its order; of a size that it does not name, the least and the largest, or
/// those of each of its classes. A
/// name that no size in a range has, and a number outside of its range, are errors of usage, which are printed.
mlir::FailureOr<std::vector<SizeValues>> sizesAt(llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<SizeClass> classes,
                                                 llvm::ArrayRef<std::string> at);

} // namespace heddle

#endif // HEDDLE_TOOLS_SIZESAT_H
