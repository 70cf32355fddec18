//===- TileOfEach.h - one code variant per row count ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILEOFEACH_H
#define HEDDLE_LOWERING_TILEOFEACH_H

#include "Extent.h"

namespace heddle {

/// Returns whether emitRowLoop (Emit.h) emits a variant of the code for each possible number of rows, as if this number
/// were fixed. emitRowLoop does so on two conditions: the library must have several classes of sizes (parts of the
/// ranges of the sizes, each with code of its own), and `rows` must lie in a range from at least 1 to at most `step`.
/// One tile then contains all rows. In all other cases, the emitted code divides the rows into tiles that have only a
/// few different numbers of rows.
bool hasTileOfEach(mlir::OpBuilder &b, const Extent &rows, int64_t step);

} // namespace heddle

#endif // HEDDLE_LOWERING_TILEOFEACH_H
