//===- LinearEpilogue.h - what follows the products of a layer --*- C++ -*-===//

#ifndef HEDDLE_LOWERING_LINEAREPILOGUE_H
#define HEDDLE_LOWERING_LINEAREPILOGUE_H

#include "Heddle.h"

#include "mlir/IR/Builders.h"

namespace heddle {

/// What heddle.linear does to a tile of its products [rows, columns], or to one of them: null where there is none.
struct LinearEpilogue {
  Activation activation = Activation::None;
  mlir::Value bias;   // [columns]
  mlir::Value addend; // as the tile: the residual
  mlir::Value flags;  // i8 [rows], 0 where a row is not needed
  /// Of a tile: whether GELU's erf has the flag afn, so that a CPU may take a table for it (heddle-expand-dots).
  bool byTable = false;
};

/// The epilogue on one product, where bias, addend and flag are scalars.
mlir::Value emitFinished(mlir::OpBuilder &b, mlir::Location loc, const LinearEpilogue &epilogue, mlir::Value product);

/// The epilogue on a tile, into `target`, which may have fewer columns, and be narrower floats for products (ForDots.h).
mlir::Value emitFinishedTile(mlir::OpBuilder &b, mlir::Location loc, const LinearEpilogue &epilogue,
                             mlir::Value product, mlir::Value target);

} // namespace heddle

#endif // HEDDLE_LOWERING_LINEAREPILOGUE_H
