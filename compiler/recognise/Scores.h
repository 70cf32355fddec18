//===- Scores.h - attention scores ------------------------------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_SCORES_H
#define HEDDLE_RECOGNISE_SCORES_H

#include "ElementGraph.h"
#include "Match.h"

namespace heddle {

/// The scores of an attention: the product of query and key times `factor`, changed either by a softcap and biases or
/// by a graph of elementwise operations. Finally, masked entries become `maskedScore`.
struct Scores {
  Product product;
  double factor = 1.0;
  std::optional<double> softcap;
  llvm::SmallVector<mlir::Value> biases;
  struct Mask {
    mlir::Value condition;
    bool attendWhere; // the condition's value at entries that are not masked
  };
  llvm::SmallVector<Mask> masks;
  std::optional<ElementGraph> graph;
  double maskedScore = 0;
  unsigned steps = 0; // the number of operations between the softmax and the product
};

/// Matches `value` as scores, or sets `reason`. Between the product and `value` there are only elementwise operations
/// and reshapes.
std::optional<Scores> matchScores(mlir::Value value, llvm::StringRef &reason);

/// The causal rule of a mask: query i attends to keys j <= i + Skv - Sq (LowerRight), or to keys j <= i (UpperLeft).
enum class Diagonal { None, LowerRight, UpperLeft };
/// Returns the causal rule that a mask expresses. The mask `view` [.., Sq, Skv] must contain booleans that are constant
/// or computed from indices, and that are `attendWhere` up to a diagonal and the opposite after it. (A bias of 0 and
/// -inf is no causal rule: a removed score of NaN or +inf makes its row NaN.)
Diagonal matchCausalMask(const View &view, bool attendWhere);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_SCORES_H
