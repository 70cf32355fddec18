//===- TilePlaces.h - which operations work on tiles ------------*- C++ -*-===//
//
// A tile is a matrix that all threads of a workgroup read and write together
// (dialect/TilePlaces.td). Most passes do not change operations on tiles.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TILES_TILEPLACES_H
#define HEDDLE_TILES_TILEPLACES_H

#include "Heddle.h"

namespace heddle {

/// Returns the place of a tile, #heddle.workgroup or #heddle.fragments, or null if the value is not a tile. The place
/// of a buffer is its memory space. The place of a tensor is the memory space of the bufferization.alloc_tensor in
/// which it is computed.
mlir::Attribute placeOf(mlir::Value value);

/// Returns whether an operand of the op is a tile, or the op orders async copies of tiles.
bool isOnTiles(mlir::Operation *op);

/// Returns whether tiles are allocated in the op's regions.
bool holdsTiles(mlir::Operation *op);

/// Returns the number of threads over which the tiles in registers are distributed that the op's regions allocate; 0 if
/// they allocate none. Emits an error and fails if tiles are distributed over different numbers of threads.
mlir::FailureOr<int64_t> countTileThreads(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_TILES_TILEPLACES_H
