//===- Probabilities.h - attention probabilities and their uses -*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_PROBABILITIES_H
#define HEDDLE_RECOGNISE_PROBABILITIES_H

#include "ElementGraph.h"
#include "Match.h"

namespace heddle {

/// The probabilities of an attention operation (the result of its softmax), and their product with the values.
struct Probabilities {
  mlir::Value value;                      // the result of the softmax, or of the select that replaces NaN by 0
  bool guarded = false;                   // whether a select replaces NaN by 0
  std::optional<ElementGraph> graph = {}; // elementwise operations between `value` and the product, if there are any
  Product output = {};                    // the product with the values
  bool areUsed = false;                   // whether other operations use the probabilities, too
};

/// Finds the product of the softmax's result with the values. Returns nothing and sets `reason` if there is no such
/// product.
std::optional<Probabilities> matchProbabilities(mlir::linalg::SoftmaxOp softmax, llvm::StringRef &reason);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_PROBABILITIES_H
