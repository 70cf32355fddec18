//===- RelativePositions.h - biases by relative position --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_RELATIVEPOSITIONS_H
#define HEDDLE_IMPORT_HUGGINGFACE_RELATIVEPOSITIONS_H

#include "../sizes/Dim.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// The bidirectional buckets of T5. A bucket is a set of distances between query and key that share a bias. Half of the
/// buckets are for keys after the query, half for all other keys. In each half, each small distance has its own bucket,
/// larger distances share buckets on a logarithmic scale, and the last bucket contains all distances from `farthest`
/// on.
struct RelativeBuckets {
  int64_t count = 32, farthest = 128; // the number of buckets of both halves together, and a distance in positions

  /// Returns the bucket of a key that is `distance` positions after the query, or before it if `distance` is negative.
  int64_t of(int64_t distance) const;
};

/// Builds the bias of attention scores [1, heads, sequence, sequence] from `table` [buckets, heads], which contains the
/// bias of each bucket and head. Sequences have at most `longest` positions.
mlir::Value relativeBias(mlir::ImplicitLocOpBuilder &builder, mlir::Value table, const RelativeBuckets &buckets,
                         const Dim &sequence, int64_t longest);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_RELATIVEPOSITIONS_H
