//===- LinearEpilogue.h - bias, activation, residual ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_LINEAREPILOGUE_H
#define HEDDLE_LOWERING_LINEAREPILOGUE_H

#include "Heddle.h"

#include "mlir/IR/Builders.h"

namespace heddle {

/// The operations of heddle.linear after the matrix product, for a tile [rows, columns] of the product or for one
/// element. An operand that the layer does not have is null.
struct LinearEpilogue {
  Activation activation = Activation::None;
  mlir::Value bias;   // [columns]
  mlir::Value addend; // the residual, of the tile's shape
  mlir::Value flags;  // the activity mask, i8 [rows], 0 where a row is inactive
  /// Whether the erf of GELU gets the fast-math flag afn, by which heddle-expand-dots may compute it from a table. Only
  /// used for tiles.
  bool byTable = false;
};

/// Emits the epilogue on one element of the product; bias, addend and flags are scalars.
mlir::Value emitFinished(mlir::OpBuilder &b, mlir::Location loc, const LinearEpilogue &epilogue, mlir::Value product);

/// Emits the epilogue on a tile of the product and returns `target` with the result. `target` may be smaller than the
/// tile, which is then cut at its end. Its elements may be narrower floats if only products read the result
/// (ForProducts.h).
mlir::Value emitFinishedTile(mlir::OpBuilder &b, mlir::Location loc, const LinearEpilogue &epilogue,
                             mlir::Value product, mlir::Value target);

} // namespace heddle

#endif // HEDDLE_LOWERING_LINEAREPILOGUE_H
