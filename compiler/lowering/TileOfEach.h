//===- TileOfEach.h - one code variant per row count ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILEOFEACH_H
#define HEDDLE_LOWERING_TILEOFEACH_H

#include "Extent.h"

namespace heddle {

/// Returns whether emitRowLoop makes one tile for each possible number of rows, as if that number were fixed. It does
/// so in the code of a size class (SizeClass) in which a single tile of `step` rows holds all rows. Other code uses a
/// few tiles for all numbers.
bool hasTileOfEach(mlir::OpBuilder &b, const Extent &rows, int64_t step);

} // namespace heddle

#endif // HEDDLE_LOWERING_TILEOFEACH_H
