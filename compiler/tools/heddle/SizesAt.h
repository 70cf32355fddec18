//===- SizesAt.h - the option --at ------------------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_SIZESAT_H
#define HEDDLE_TOOLS_SIZESAT_H

#include "Command.h"

#include "heddle/Ranges.h"

namespace heddle {

/// Declares --at, the sizes at which `bench` times a model. The parser refuses --at together with the option `input`,
/// since the shapes in an input file determine the sizes.
void addAt(CLI::App &app, std::vector<std::string> &at, CLI::Option *input);

/// Returns all combinations of the sizes of --at. The values of a size have the order in which --at lists them. A size
/// that --at does not name has two values, the minimum and the maximum of its range. If it has classes, it has the
/// minimum and the maximum of each class, or one value if they are equal. Prints an error for a name that is not a size
/// in a range, for a name that is given twice, and for a number outside of its range.
mlir::FailureOr<std::vector<SizeValues>> sizesAt(llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<SizeClass> classes,
                                                 llvm::ArrayRef<std::string> at);

} // namespace heddle

#endif // HEDDLE_TOOLS_SIZESAT_H
