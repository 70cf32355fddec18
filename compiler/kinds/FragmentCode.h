//===- FragmentCode.h - a lane's code for fragments -------------*- C++ -*-===//

#ifndef HEDDLE_KINDS_FRAGMENTCODE_H
#define HEDDLE_KINDS_FRAGMENTCODE_H

#include "ProductCode.h"
#include "TileMemory.h"

namespace heddle {

/// The place of one or more factors of products in workgroup memory. The factors are a part of a tile, or of the
/// transpose of a tile, that begins at `first`.
struct FragmentSource {
  mlir::Value buffer;
  mlir::Value lane;        // the index of the lane in its warp
  TileElement first;       // the first factor's first element, as an element of the matrix with the factors
  int64_t rowsApart;       // the order of the tile, as for emitTileIndices
  bool isTransposed;       // whether the tile is the transpose of the matrix with the factors
  bool pointers;           // whether accesses share an address in a view (emitTileAccess)
};

} // namespace heddle

#include "FragmentCode.h.inc"

#endif // HEDDLE_KINDS_FRAGMENTCODE_H
