//===- RemovedKeys.h - marks of removed keys --------------------*- C++ -*-===//
//
// In a checked task, the weight of a removed key is -0.0, which distinguishes
// this key from a key whose weight underflowed to 0. The values of marked keys
// are skipped instead of multiplied: a value may not be finite, and 0 x inf
// would be NaN.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILER_LOWERING_REMOVEDKEYS_H
#define HEDDLE_COMPILER_LOWERING_REMOVEDKEYS_H

#include "TileBuilder.h"

namespace heddle {

/// Emits whether a weight is -0.0, the mark of a removed key.
mlir::Value emitIsMarked(TileBuilder &b, mlir::Value weight);
/// Emits the number with 0.0 in place of a mark, since -0.0 + 0.0 is 0.0.
mlir::Value emitUnmarked(TileBuilder &b, mlir::Value number);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_REMOVEDKEYS_H
