//===- TileTarget.h - the target of ops that make tiles ---------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILES_TILETARGET_H
#define HEDDLE_LOWERING_TILES_TILETARGET_H

#include "mlir/IR/Operation.h"

namespace heddle {

/// Emits an error at a transform op that makes tiles, and fails, if the op is in a strategy for CPUs: only the stages
/// for devices distribute tiles over lanes.
mlir::LogicalResult verifyTileTarget(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_TILETARGET_H
