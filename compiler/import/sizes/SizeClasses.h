//===- SizeClasses.h - classes of sizes -------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_SIZECLASSES_H
#define HEDDLE_IMPORT_SIZES_SIZECLASSES_H

#include "heddle/Import.h"

namespace heddle {

/// Returns all combinations of the classes of sizes (subranges that are compiled separately); empty if no size has
/// classes. Emits an error at `loc` if there are too many combinations.
mlir::FailureOr<std::vector<SizeClass>> combineClasses(mlir::Location loc, llvm::ArrayRef<DimRange> ranges);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SIZECLASSES_H
