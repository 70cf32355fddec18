//===- Vectorizer.h - linalg on static tiles to vectors ---------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_VECTORIZER_H
#define HEDDLE_VECTORIZE_VECTORIZER_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// What vectors are like, and what tiles.
struct VectorOptions {
  int64_t lanes = 0;     // elements per vector
  int64_t registers = 0; // vectors of so many elements that the register file holds
  /// Whether ops work on blocks that lie in a cache: each of them goes through its block in register tiles. Otherwise an
  /// op is at most a few register tiles, which go to the next op in registers.
  bool blocks = false;
  /// Whether the same row may be in tiles of several heights, since sizes lie in a range: then its sums are the same in
  /// all of them.
  bool equalSums = false;
};

/// Replaces every linalg op below `root`, on tensors of static shape, by loops over 1-D vectors. Emits a diagnostic at
/// one that has no such form.
mlir::LogicalResult vectorizeAll(mlir::RewriterBase &rewriter, mlir::Operation *root, const VectorOptions &options);

} // namespace heddle

#endif // HEDDLE_VECTORIZE_VECTORIZER_H
