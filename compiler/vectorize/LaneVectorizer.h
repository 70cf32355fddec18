//===- LaneVectorizer.h - linalg on static tiles to lane vectors -*- C++ -*-===//
//
// One scheme serves contractions, reductions along rows, elementwise work and
// transpositions: the last dimension of the result goes to vector lanes, every
// other dimension is a loop, and what does not depend on the lanes is a scalar
// broadcast from memory. Only what reduces the last dimension of its operands folds
// vectors (LaneReduction.h).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_VECTORIZE_LANEVECTORIZER_H
#define HEDDLE_VECTORIZE_LANEVECTORIZER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

struct LaneOptions {
  int64_t width = 16;     // elements per vector, a power of two from 4 on
  int64_t registers = 32; // vectors of that width that the register file holds
};

/// Replaces every linalg op below `root`, on tensors of static shape, by loops over 1-D vectors. Emits a diagnostic at
/// one that does not fit.
mlir::LogicalResult vectorizeAllLanes(mlir::RewriterBase &rewriter, mlir::Operation *root,
                                      const LaneOptions &options);

} // namespace heddle

#endif // HEDDLE_VECTORIZE_LANEVECTORIZER_H
