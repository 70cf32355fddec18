//===- TileShape.h - the sizes of register tiles ----------------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_TILESHAPE_H
#define HEDDLE_VECTORIZE_TILESHAPE_H

#include "Vectorizer.h"

namespace heddle {

/// How an op uses the register tile of its result.
enum class TileUse {
  Map,        // computes each element once, no reduction
  Accumulate, // a reduction: keeps the tile in registers as accumulators
  Fold        // a reduction along the lanes: each row is one vector of partial results, which is folded at the end
};

/// The size of a register tile: the number of rows, and the number of vectors in each row.
struct TileShape {
  int64_t rows = 1, vectors = 1;
};

/// Returns the size of register tiles for an op whose result has `rows` rows of `vectors` vectors.
TileShape chooseTile(int64_t rows, int64_t vectors, TileUse use, const VectorOptions &options);

/// Returns how many accumulators to use for each sum of a register tile, so that the latency of an addition is hidden
/// as far as the registers and `steps` allow. The tile has `sums` sums of `steps` terms each. `folds`: an accumulator
/// is a vector whose lanes are added at the end.
int64_t chooseAccumulators(int64_t sums, int64_t steps, const VectorOptions &options, bool folds = false);

/// Returns the width of a vector with `valid` filled lanes: half the usual width if the filled lanes fit into it and it
/// is at least 4 lanes, otherwise the usual width. On CPUs whose units have half the usual width, half vectors take
/// half the time.
int64_t chooseWidth(int64_t valid, const VectorOptions &options);

/// Returns the side of square tiles that are transposed in registers: the number of lanes of a vector if the register
/// file holds `perLane` vectors for each row of the tile, otherwise half this number.
int64_t chooseSquareTile(int64_t perLane, const VectorOptions &options);

} // namespace heddle

#endif // HEDDLE_VECTORIZE_TILESHAPE_H
