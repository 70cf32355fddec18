//===- Weights.h - from softmax to the product with values ------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_WEIGHTS_H
#define HEDDLE_RECOGNISE_WEIGHTS_H

#include "ElementGraph.h"
#include "Match.h"

namespace heddle {

/// The softmax weights as the rest of the model sees them, and their product with the values.
struct Weights {
  mlir::Value value;    // of the softmax, or of the guard around it
  bool guarded = false; // rows of NaN are replaced by zeros
  std::optional<ElementGraph> graph = {}; // between the weights and the product
  Product output = {};
  bool areUsed = false; // by others, too
};

/// What becomes of the softmax, or why that is no attention.
std::optional<Weights> matchWeights(mlir::linalg::SoftmaxOp softmax, llvm::StringRef &reason);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_WEIGHTS_H
