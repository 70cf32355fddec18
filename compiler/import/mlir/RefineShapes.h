//===- RefineShapes.h - shapes that follow from others ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_REFINESHAPES_H
#define HEDDLE_IMPORT_MLIR_REFINESHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Puts numbers in the place of each `?` of `main` that follows from the types of its arguments: sizes are read by
/// tensor.dim and computed with by arith. Types of results that do not follow stay as they are. Where sizes lie in
/// ranges, these are expressions, and what an operation asks of its extents has to hold for all of them.
mlir::LogicalResult refineShapes(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_REFINESHAPES_H
