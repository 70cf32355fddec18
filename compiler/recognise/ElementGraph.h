//===- ElementGraph.h - elementwise operations in attention -----*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_ELEMENTGRAPH_H
#define HEDDLE_RECOGNISE_ELEMENTGRAPH_H

#include "Heddle.h"

namespace heddle {

/// The elementwise operations that compute `result` from `leaf`, a tensor of attention scores or probabilities. Apart
/// from reshapes, each element of `result` depends only on the element of `leaf` at the same position. The operations
/// become a region of heddle.attention.
struct ElementGraph {
  mlir::Value leaf, result;
  llvm::SmallVector<mlir::Operation *> ops; // operations that depend on the leaf; an operation follows its operands
  llvm::SetVector<mlir::Value> reads;       // other tensors that `ops` read, except splat constants
};

/// Returns the elementwise operations that compute `result` from a value that `isLeaf` accepts. Returns nullopt and
/// sets `reason` if there is no such value, if there are several, if the element type changes, or if the search visits
/// too many values.
std::optional<ElementGraph> matchElementGraph(mlir::Value result, llvm::function_ref<bool(mlir::Value)> isLeaf,
                                              llvm::StringRef &reason);

/// Returns whether `op` is an elementwise operation on tensors of one shape.
bool isElementwise(mlir::Operation *op);

/// Returns whether `value` is computed by elementwise operations and reshapes from a value that `isLeaf` accepts.
bool isComputedFrom(mlir::Value value, llvm::function_ref<bool(mlir::Value)> isLeaf);

/// Builds the operations of `graph`, applied to scalars, in `region`, an empty region of `op`. `reads` contains all
/// tensors in `graph.reads`, and possibly others; operand i of `op.getReads()` provides the elements of reads[i].
void buildRegion(mlir::OpBuilder &b, AttentionOp op, mlir::Region &region, const ElementGraph &graph,
                 llvm::ArrayRef<mlir::Value> reads);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_ELEMENTGRAPH_H
