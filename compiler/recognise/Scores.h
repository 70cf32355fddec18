//===- Scores.h - attention scores ------------------------------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_SCORES_H
#define HEDDLE_RECOGNISE_SCORES_H

#include "ElementGraph.h"
#include "Match.h"

namespace heddle {

/// The scores of an attention operation: the product of query and key times `factor`, changed either by a softcap and
/// biases or by `graph`. Finally, masked entries become `maskedScore`.
struct Scores {
  Product product;
  double factor = 1.0;
  std::optional<double> softcap;         // c, if the scores s become c tanh(s / c)
  llvm::SmallVector<mlir::Value> biases; // tensors that are added to the scores
  /// A select between the scores and `maskedScore`.
  struct Mask {
    mlir::Value condition;
    bool attendWhere; // the condition's value at entries that are not masked
  };
  llvm::SmallVector<Mask> masks;
  std::optional<ElementGraph> graph; // elementwise operations that compute the scores from the product
  double maskedScore = 0;
  unsigned steps = 0; // the number of operations that the search has visited
};

/// Matches `value`, the operand of a softmax, as scores. Fails and sets `reason` if this is impossible, for example
/// because operations other than elementwise operations and reshapes lie between the product and `value`.
std::optional<Scores> matchScores(mlir::Value value, llvm::StringRef &reason);

/// The causal rule of a mask: query i attends to keys j <= i + Skv - Sq (LowerRight), or to keys j <= i (UpperLeft),
/// where Sq and Skv are the numbers of queries and keys.
enum class Diagonal { None, LowerRight, UpperLeft };
/// Returns the causal rule that `view`, a boolean mask [.., Sq, Skv], expresses, or None. The elements must be constant
/// or computed from indices. In each row, they must be equal to `attendWhere` up to a diagonal and to its negation
/// after the diagonal. (A bias that consists of 0 and -inf does not express a causal rule: if a masked score is NaN or
/// +inf, the sum is NaN and makes its row NaN, whereas heddle.attention ignores the score.)
Diagonal matchCausalMask(const View &view, bool attendWhere);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_SCORES_H
