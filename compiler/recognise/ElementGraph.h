//===- ElementGraph.h - elementwise graphs in attention ---------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_ELEMENTGRAPH_H
#define HEDDLE_RECOGNISE_ELEMENTGRAPH_H

#include "Heddle.h"

namespace heddle {

/// The elementwise operations between a tensor of scores or softmax weights and a result with the same elements in the
/// same order (through reshapes). They become a region of attention.
struct ElementGraph {
  mlir::Value leaf, result;
  llvm::SmallVector<mlir::Operation *> ops; // operations that depend on the leaf, in order
  llvm::SetVector<mlir::Value> reads;       // other tensors that they read, except constants with one value
};

/// Returns the operations from a value that `isLeaf` accepts to `result`. Returns nullopt, and sets `reason`, if there
/// are none or there is more than one leaf.
std::optional<ElementGraph> matchElementGraph(mlir::Value result, llvm::function_ref<bool(mlir::Value)> isLeaf,
                                              llvm::StringRef &reason);

/// Returns whether `op` is an elementwise operation on tensors of one shape.
bool isElementwise(mlir::Operation *op);

/// Returns whether elementwise operations lead from a value that `isLeaf` accepts to `value`.
bool isComputedFrom(mlir::Value value, llvm::function_ref<bool(mlir::Value)> isLeaf);

/// Makes the graph a region of `op`. The region's argument for reads[i] is operand i of `op.getReads()`.
void buildRegion(mlir::OpBuilder &b, AttentionOp op, mlir::Region &region, const ElementGraph &graph,
                 llvm::ArrayRef<mlir::Value> reads);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_ELEMENTGRAPH_H
