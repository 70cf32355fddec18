//===- Weights.h - softmax weights of attention -----------------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_WEIGHTS_H
#define HEDDLE_RECOGNISE_WEIGHTS_H

#include "ElementGraph.h"
#include "Match.h"

namespace heddle {

/// The softmax weights as the rest of the model uses them, and their product with the values.
struct Weights {
  mlir::Value value;    // the result of the softmax, or of the guard around it
  bool guarded = false; // rows of NaN are replaced by zeros
  std::optional<ElementGraph> graph = {}; // between the softmax weights and the product
  Product output = {};
  bool areUsed = false; // by other operations, too
};

/// Finds the product that the softmax belongs to, or sets `reason`.
std::optional<Weights> matchWeights(mlir::linalg::SoftmaxOp softmax, llvm::StringRef &reason);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_WEIGHTS_H
