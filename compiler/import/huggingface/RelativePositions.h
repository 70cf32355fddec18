//===- RelativePositions.h - biases by how far a key is away ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_RELATIVEPOSITIONS_H
#define HEDDLE_IMPORT_HUGGINGFACE_RELATIVEPOSITIONS_H

#include "../sizes/Dim.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// The buckets of T5 in both directions: half of them for keys before the query, half for those behind it; near ones
/// have one each, farther ones share them by the logarithm of the distance, and the last has all from `farthest` on.
struct RelativeBuckets {
  int64_t count = 32, farthest = 128;

  /// The bucket of a key that stands `distance` behind the query (before it, where that is negative).
  int64_t of(int64_t distance) const;
};

/// Of `table` [buckets, heads] the bias [1, heads, sequence, sequence] of each query and key; sequences have at most
/// `longest` positions.
mlir::Value relativeBias(mlir::ImplicitLocOpBuilder &builder, mlir::Value table, const RelativeBuckets &buckets,
                         const Dim &sequence, int64_t longest);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_RELATIVEPOSITIONS_H
