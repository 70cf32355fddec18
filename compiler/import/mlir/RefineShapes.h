//===- RefineShapes.h - inference of shapes ---------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_REFINESHAPES_H
#define HEDDLE_IMPORT_MLIR_REFINESHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Replaces each dynamic dimension in `main` that follows from the types of the arguments by its extent, even if
/// tensor.dim operations and arithmetic compute this extent. Other dynamic dimensions remain. If sizes lie in ranges,
/// extents are expressions of sizes, and the requirements of each operation must hold for all sizes.
mlir::LogicalResult refineShapes(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_REFINESHAPES_H
