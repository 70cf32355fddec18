//===- Scores.h - from scaled products to softmax ---------------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_SCORES_H
#define HEDDLE_RECOGNISE_SCORES_H

#include "ElementGraph.h"
#include "Match.h"

namespace heddle {

/// scores = factor x product; softcap; + biases, or what a graph makes of factor x product; then entries whose mask
/// says so become `maskedScore`.
struct Scores {
  Product product;
  double factor = 1.0;
  std::optional<double> softcap;
  llvm::SmallVector<mlir::Value> biases;
  struct Mask {
    mlir::Value condition;
    bool attendWhere; // the condition's value at entries that take part
  };
  llvm::SmallVector<Mask> masks;
  std::optional<ElementGraph> graph;
  double maskedScore = 0;
  unsigned steps = 0; // operations passed on the way
};

/// The scores that `value` holds, or why they are none. All tensors on the way
/// have the elements of `value`, in the same order.
std::optional<Scores> matchScores(mlir::Value value, llvm::StringRef &reason);

/// Whether `view` [.., Sq, Skv] is a constant of booleans that is `attendWhere` up to a
/// diagonal and the opposite after it: the causal rule it stands for. (An added constant of
/// 0 and -inf is none: a score of NaN or +inf makes NaN of its row there.)
enum class Diagonal { None, LowerRight, UpperLeft };
Diagonal matchCausalMask(const View &view, bool attendWhere);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_SCORES_H
