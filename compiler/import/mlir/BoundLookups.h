//===- BoundLookups.h - keeps indices inside their tensors ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_BOUNDLOOKUPS_H
#define HEDDLE_IMPORT_MLIR_BOUNDLOOKUPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Ensures that no tensor.extract, tensor.insert or tensor.dim of a hand-written module accesses elements or dimensions
/// outside its tensor. An input of `main` that is used as an index gets its valid values as `heddle.range`, which the
/// runtime checks; it is an error if the input declares a wider range. A computed index that is not known to be valid
/// is clamped, so that an invalid index selects the nearest element. Results of heddle.checked_index are known to be
/// valid.
mlir::LogicalResult boundLookups(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_BOUNDLOOKUPS_H
