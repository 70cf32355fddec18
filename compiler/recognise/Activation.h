//===- Activation.h - activation functions ----------------------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_ACTIVATION_H
#define HEDDLE_RECOGNISE_ACTIVATION_H

#include "Match.h"

#include "Heddle.h"

namespace heddle {

/// An activation function that is applied to `input`.
struct MatchedActivation {
  Activation kind;
  mlir::Value input;
  llvm::SmallVector<mlir::Operation *> ops; // all operations of the activation, including the last one
};

// The functions below match the operations that compute `value`. They return nothing if there is no match.

/// Matches x/2 (1 + erf(x / sqrt 2)), with its factors in any order.
std::optional<MatchedActivation> matchGelu(mlir::Value value);
/// Matches x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), with its factors in any order.
std::optional<MatchedActivation> matchGeluTanh(mlir::Value value);
/// Matches max(x, 0) in a form whose result is NaN if x is NaN.
std::optional<MatchedActivation> matchRelu(mlir::Value value);
/// Matches x / (1 + exp(-x)), or x times the logistic function 1 / (1 + exp(-x)).
std::optional<MatchedActivation> matchSilu(mlir::Value value);
/// Matches tanh(x).
std::optional<MatchedActivation> matchTanh(mlir::Value value);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_ACTIVATION_H
