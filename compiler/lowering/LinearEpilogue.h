//===- LinearEpilogue.h - bias, activation, residual ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_LINEAREPILOGUE_H
#define HEDDLE_LOWERING_LINEAREPILOGUE_H

#include "Heddle.h"

#include "mlir/IR/Builders.h"

namespace heddle {

/// The operations of heddle.linear after the products, for a tile of products [rows, columns] or for a single product.
/// Operands that do not exist are null.
struct LinearEpilogue {
  Activation activation = Activation::None;
  mlir::Value bias;   // [columns]
  mlir::Value addend; // the residual, of the tile's shape
  mlir::Value flags;  // the activity mask, i8 [rows], 0 where a row is inactive
  /// True if the erf of GELU gets the fast-math flag afn, which allows a CPU to compute it by a table
  /// (heddle-expand-dots). Only used for tiles.
  bool byTable = false;
};

/// Emits the epilogue on one product; bias, addend and flag are scalars.
mlir::Value emitFinished(mlir::OpBuilder &b, mlir::Location loc, const LinearEpilogue &epilogue, mlir::Value product);

/// Emits the epilogue on a tile, into `target`, which may have fewer columns, and narrower floats if only products read
/// the result (ForProducts.h).
mlir::Value emitFinishedTile(mlir::OpBuilder &b, mlir::Location loc, const LinearEpilogue &epilogue,
                             mlir::Value product, mlir::Value target);

} // namespace heddle

#endif // HEDDLE_LOWERING_LINEAREPILOGUE_H
