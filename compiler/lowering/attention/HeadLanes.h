//===- HeadLanes.h - attention with heads in lanes --------------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_HEADLANES_H
#define HEDDLE_COMPILER_LOWERING_HEADLANES_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The maximum number of vectors of queries that are computed together: they share loaded keys and hide each other's
/// latencies. A vector of queries contains one element of each head of one or more queries.
constexpr int64_t vectorsTogether = 2;

/// Expands the attention ops below `root` into loops over vectors if lowerAttentionHeads has annotated them.
void expandHeadLanes(mlir::RewriterBase &rewriter, mlir::Operation *root);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_HEADLANES_H
