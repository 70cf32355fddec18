//===- TileShape.cpp - the sizes of register tiles ------------------------===//

#include "TileShape.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace heddle;

/// Returns the size of the largest part if `size` is split into the fewest parts of at most `limit`, all of about the
/// same size. Such parts are faster than full parts and a small remainder.
static int64_t even(int64_t size, int64_t limit) {
  int64_t parts = std::max<int64_t>(1, llvm::divideCeil(size, limit));
  return std::max<int64_t>(1, llvm::divideCeil(size, parts));
}

TileShape heddle::chooseTile(int64_t rows, int64_t vectors, TileUse use, const VectorOptions &options) {
  int64_t registers = options.registers;
  // A small result is one tile, which the next op reads from registers, unless ops work on blocks in a cache.
  int64_t whole = use == TileUse::Fold ? 8 : use == TileUse::Accumulate ? registers - 2 : 32;
  if (!options.blocks && rows * vectors <= whole)
    return {rows, vectors};
  if (use == TileUse::Accumulate) {
    // Accumulators, one row of vectors and a scalar share the registers. A single row uses nearly all of them for its
    // vectors; many rows leave only a few vectors per row.
    int64_t maximum = std::max(registers / 8, (registers - 2) / (rows + 1));
    vectors = even(vectors, std::max<int64_t>(maximum, 1));
    return {even(rows, std::clamp<int64_t>((registers - 1 - vectors) / vectors, 1, 12)), vectors};
  }
  // Several vectors are computed together to hide the latency of each.
  int64_t together = use == TileUse::Fold ? 4 : options.blocks ? std::max<int64_t>(1, registers / 8) : 8;
  if (rows <= together)
    return {rows, even(vectors, std::clamp<int64_t>(together / rows, 1, 4))};
  vectors = even(vectors, 4);
  return {std::max<int64_t>(1, together / vectors), vectors};
}

int64_t heddle::chooseAccumulators(int64_t sums, int64_t steps, const VectorOptions &options, bool folds) {
  int64_t wanted = std::min<int64_t>(8, options.registers / 2);
  if (options.equalSums) // the number must not depend on the height of the tile
    sums = wanted / (folds ? 2 : 1);
  return sums ? std::clamp<int64_t>(wanted / sums, 1, std::max<int64_t>(1, steps)) : 1;
}

int64_t heddle::chooseWidth(int64_t valid, const VectorOptions &options) {
  int64_t lanes = options.lanes, half = lanes / 2;
  return lanes >= 8 && lanes % 2 == 0 && valid <= half ? half : lanes;
}

int64_t heddle::chooseSquareTile(int64_t perLane, const VectorOptions &options) {
  return options.registers >= perLane * options.lanes ? options.lanes : options.lanes / 2;
}
