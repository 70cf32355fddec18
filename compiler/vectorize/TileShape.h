//===- TileShape.h - how much of an op is in registers ----------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_TILESHAPE_H
#define HEDDLE_VECTORIZE_TILESHAPE_H

#include "Vectorizer.h"

namespace heddle {

/// What an op does with the rows and vectors of its result.
enum class TileUse {
  Map,        // goes through them once
  Accumulate, // keeps them in registers while it reduces
  Fold        // each row is one vector of partial results
};

/// Rows, and vectors in each of them, that are in registers at a time.
struct TileShape {
  int64_t rows = 1, vectors = 1;
};

/// The tile in which an op goes through a result of so many rows and vectors.
TileShape chooseTile(int64_t rows, int64_t vectors, TileUse use, const VectorOptions &options);

/// The side of squares that go through registers, `perLane` vectors for each of their rows: as many as a vector has
/// lanes, or half as many.
int64_t chooseSquare(int64_t perLane, const VectorOptions &options);

} // namespace heddle

#endif // HEDDLE_VECTORIZE_TILESHAPE_H
