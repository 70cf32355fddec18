//===- Vectorizer.h - linalg to loops over 1-D vectors ----------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_VECTORIZER_H
#define HEDDLE_VECTORIZE_VECTORIZER_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The vectors and registers of the target, and how ops are cut into tiles.
struct VectorOptions {
  int64_t lanes = 0;     // elements per vector
  int64_t registers = 0; // vectors of `lanes` elements that the register file holds
  /// True if ops work on blocks that lie in a cache. Each op then loops over its block in register tiles. Otherwise, an
  /// op has at most a few register tiles, which are passed to the next op in registers.
  bool blocks = false;
  /// True if sizes lie in a range, so the same row may be computed in tiles with different numbers of rows. The
  /// order in which a sum is computed must then not depend on this number.
  bool equalSums = false;
};

/// Replaces every linalg op below `root` by loops over 1-D vectors. With VectorOptions::blocks, a heddle.tile_product
/// is an error. Without it, also replaces every heddle.tile_product, except those that matrix instructions compute
/// (kinds/MatrixCode.td); ops on tiles of a workgroup do not change, and the trip counts of all loops must be
/// constants. Emits an error and fails at the first op that cannot be vectorised.
mlir::LogicalResult vectorizeAll(mlir::RewriterBase &rewriter, mlir::Operation *root, const VectorOptions &options);

} // namespace heddle

#endif // HEDDLE_VECTORIZE_VECTORIZER_H
