//===- FragmentCode.h - a lane's code for fragments -------------*- C++ -*-===//

#ifndef HEDDLE_KINDS_FRAGMENTCODE_H
#define HEDDLE_KINDS_FRAGMENTCODE_H

#include "ProductCode.h"

namespace heddle {

/// The place of one or more factors of products in workgroup memory. The factors are a part of a tile, or of the
/// transpose of a tile, that begins at (row, column). `emitTileIndices` (TileMemory.h) returns where an element of the
/// tile lies in the buffer.
struct FragmentSource {
  mlir::Value buffer;
  mlir::Value lane;        // the index of the lane in its warp
  mlir::Value row, column; // the position of the first factor's first element
  int64_t rowsApart;       // the order of the tile, as for emitTileIndices
  bool isTransposed;       // whether the tile is the transpose of the matrix with the factors
};

} // namespace heddle

#include "FragmentCode.h.inc"

#endif // HEDDLE_KINDS_FRAGMENTCODE_H
