//===- ElementGraph.h - what becomes a region of attention ------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_ELEMENTGRAPH_H
#define HEDDLE_RECOGNISE_ELEMENTGRAPH_H

#include "Heddle.h"

namespace heddle {

/// Elementwise operations between a tensor of scores or weights and what is made of it, all with its elements in its
/// order (through reshapes).
struct ElementGraph {
  mlir::Value leaf, result;
  llvm::SmallVector<mlir::Operation *> ops; // that depend on the leaf, in order
  llvm::SetVector<mlir::Value> reads;       // other tensors that they take, but numbers
};

/// The operations from values that `isLeaf` accepts to `result`; `reason` tells why there are none, or no one leaf.
std::optional<ElementGraph> matchElementGraph(mlir::Value result, llvm::function_ref<bool(mlir::Value)> isLeaf,
                                              llvm::StringRef &reason);

/// Operations on tensors of one shape that are the same on their elements.
bool isElementwise(mlir::Operation *op);

/// Whether elementwise operations lead from a value that `isLeaf` accepts to `value`.
bool isComputedFrom(mlir::Value value, llvm::function_ref<bool(mlir::Value)> isLeaf);

/// Makes the graph a region of `op`, whose operand i of `reads` is the tensor reads[i].
void buildRegion(mlir::OpBuilder &b, AttentionOp op, mlir::Region &region, const ElementGraph &graph,
                 llvm::ArrayRef<mlir::Value> reads);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_ELEMENTGRAPH_H
