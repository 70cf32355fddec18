//===- LinearEpilogue.h - bias, activation, residual ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_LINEAREPILOGUE_H
#define HEDDLE_LOWERING_LINEAREPILOGUE_H

#include "Heddle.h"

#include "mlir/IR/Builders.h"

namespace heddle {

/// The operations of heddle.linear after the matrix product, for a tile [rows, columns] of the product or for one
/// element. If the layer lacks an operand, the member for it is null.
struct LinearEpilogue {
  Activation activation = Activation::None;
  mlir::Value bias;   // [columns]
  mlir::Value addend; // the residual, of the same shape as the tile
  mlir::Value flags;  // the activity mask, i8 [rows], 0 where a row is inactive
  /// Whether to set the fast-math flag afn on the erf of GELU, which permits heddle-expand-dots to replace the GELU by
  /// polynomials whose coefficients it looks up. Used only for tiles.
  bool byTable = false;
  /// If the target has narrower elements than the product: whether only dot products read the target (ForProducts.h).
  /// Used only for tiles.
  bool isForProducts = false;
};

/// Emits the epilogue on one element of the product; bias, addend and flags are scalars.
mlir::Value emitFinished(mlir::OpBuilder &b, mlir::Location loc, const LinearEpilogue &epilogue, mlir::Value product);

/// Emits the epilogue on a tile of the product and returns `target` with the result. If `target` is smaller than the
/// tile, the last rows and columns of the tile are dropped. The elements of bias, residual and `target` may be narrower
/// floats than those of the product.
mlir::Value emitFinishedTile(mlir::OpBuilder &b, mlir::Location loc, const LinearEpilogue &epilogue,
                             mlir::Value product, mlir::Value target);

} // namespace heddle

#endif // HEDDLE_LOWERING_LINEAREPILOGUE_H
