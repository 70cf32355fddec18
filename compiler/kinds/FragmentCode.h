//===- FragmentCode.h - a lane's code for fragments -------------*- C++ -*-===//

#ifndef HEDDLE_KINDS_FRAGMENTCODE_H
#define HEDDLE_KINDS_FRAGMENTCODE_H

#include "ProductCode.h"

namespace heddle {

/// The bits of the widest load and store of a lane.
inline constexpr int64_t widestAccess = 128;

/// Factors of products in workgroup memory: the matrix that begins at (row, column) of a tile. `emitTileIndices`
/// (TileMemory.h) says where its elements lie in the buffer.
struct FragmentSource {
  mlir::Value buffer;
  mlir::Value lane;        // the index of the lane in its warp
  mlir::Value row, column; // the position of the first factor's first element
};

} // namespace heddle

#include "FragmentCode.h.inc"

#endif // HEDDLE_KINDS_FRAGMENTCODE_H
