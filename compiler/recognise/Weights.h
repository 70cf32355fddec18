//===- Weights.h - attention probabilities and their uses -------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_WEIGHTS_H
#define HEDDLE_RECOGNISE_WEIGHTS_H

#include "ElementGraph.h"
#include "Match.h"

namespace heddle {

/// The probabilities of an attention (the result of its softmax), and their product with the values.
struct Weights {
  mlir::Value value;                      // the result of the softmax, or of the select that replaces NaN by 0
  bool guarded = false;                   // a select replaces rows of NaN by zeros
  std::optional<ElementGraph> graph = {}; // operations between the softmax and the product
  Product output = {};
  bool areUsed = false; // other operations use the probabilities, too
};

/// Finds the product of the softmax's result with the values. Returns nothing and sets `reason` if there is no such
/// product.
std::optional<Weights> matchWeights(mlir::linalg::SoftmaxOp softmax, llvm::StringRef &reason);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_WEIGHTS_H
