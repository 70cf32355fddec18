//===- BoundLookups.h - no element outside a tensor -------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_BOUNDLOOKUPS_H
#define HEDDLE_IMPORT_MLIR_BOUNDLOOKUPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Makes sure that no tensor.extract, insert or dim of a module that somebody wrote touches what
/// is outside its tensor.
/// An input of `main` that indexes directly gets its legal values as `heddle.range`, which the
/// runtime checks; one that declares a wider range is an error. An index that is computed, and
/// not shown to be inside, is clamped: an illegal one picks the nearest element. (What heddle.checked_index yields is
/// inside.)
mlir::LogicalResult boundLookups(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_BOUNDLOOKUPS_H
