//===- Scores.h - attention scores ------------------------------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_SCORES_H
#define HEDDLE_RECOGNISE_SCORES_H

#include "ElementGraph.h"
#include "Match.h"

namespace heddle {

/// The scores of an attention: scores = factor x product, then softcap and biases, or else a graph of elementwise
/// operations on factor x product. Then masked entries become `maskedScore`.
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
  unsigned steps = 0; // operations between `value` and the product
};

/// Matches `value` as scores, or sets `reason`. All tensors between the product and `value` have the elements of
/// `value`, in the same order.
std::optional<Scores> matchScores(mlir::Value value, llvm::StringRef &reason);

/// Returns the causal rule that a mask expresses, if `view` [.., Sq, Skv] is a constant of booleans that is
/// `attendWhere` up to a diagonal and the opposite behind it. (An added constant of 0 and -inf is no causal rule: a
/// score of NaN or +inf makes its row NaN there.)
enum class Diagonal { None, LowerRight, UpperLeft };
Diagonal matchCausalMask(const View &view, bool attendWhere);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_SCORES_H
