//===- TileOfEach.h - one code variant per row count ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILEOFEACH_H
#define HEDDLE_LOWERING_TILEOFEACH_H

#include "Extent.h"

namespace heddle {

/// Returns whether emitRowLoop emits code with a tile of its own for each possible number of rows, as if that number
/// were fixed. It does so in the code of a class of sizes (SizeClass) in which one tile of `step` rows holds all rows.
/// In other code, all numbers of rows share the code of a few tiles.
bool hasTileOfEach(mlir::OpBuilder &b, const Extent &rows, int64_t step);

} // namespace heddle

#endif // HEDDLE_LOWERING_TILEOFEACH_H
