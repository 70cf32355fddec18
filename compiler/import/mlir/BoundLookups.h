//===- BoundLookups.h - keeps indices inside their tensors ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_BOUNDLOOKUPS_H
#define HEDDLE_IMPORT_MLIR_BOUNDLOOKUPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Ensures that no tensor.extract, tensor.insert, tensor.dim or heddle.append of an .mlir file accesses elements,
/// dimensions or rows outside its tensor. An input of `main` that is used as an index gets the annotation
/// `heddle.range` with its valid values, which each call of the library checks (an input of bools is treated like a
/// computed index). Emits an error if the input already declares a wider range, and for an access to an element of a
/// tensor that may be empty. A computed index that is not known to be valid is clamped; an invalid index thus selects
/// the nearest element. A heddle.append to rows that are not known to be valid is an error. Results of
/// heddle.checked_index are known to be valid.
mlir::LogicalResult boundLookups(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_BOUNDLOOKUPS_H
