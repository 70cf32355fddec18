//===- TileOfEach.h - few rows, as if their number were fixed ---*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILEOFEACH_H
#define HEDDLE_LOWERING_TILEOFEACH_H

#include "Extent.h"

namespace heddle {

/// Whether emitRowLoop makes one tile for each number of rows, as if that were fixed: in code for a class of sizes
/// (SizeClass) in which a tile of `step` rows holds all there are. In other code a few tiles of all sizes do.
bool hasTileOfEach(mlir::OpBuilder &b, const Extent &rows, int64_t step);

} // namespace heddle

#endif // HEDDLE_LOWERING_TILEOFEACH_H
