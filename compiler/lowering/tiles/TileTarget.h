//===- TileTarget.h - the target whose code has tiles -----------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILES_TILETARGET_H
#define HEDDLE_LOWERING_TILES_TILETARGET_H

#include "mlir/IR/Operation.h"

namespace heddle {

/// Checks that a transform op that makes tiles is not in a strategy for a target whose stages do not distribute tiles
/// over lanes. Otherwise emits an error at the op and fails.
mlir::LogicalResult verifyTileTarget(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_TILETARGET_H
