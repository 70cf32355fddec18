//===- Activation.h - elementwise functions of linear layers ----*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_ACTIVATION_H
#define HEDDLE_RECOGNISE_ACTIVATION_H

#include "Match.h"

#include "Heddle.h"

namespace heddle {

struct MatchedActivation {
  Activation kind;
  mlir::Value input;
  llvm::SmallVector<mlir::Operation *> ops; // all that compute it
};

/// x/2 (1 + erf(x / sqrt 2)) in any order of its factors.
std::optional<MatchedActivation> matchGelu(mlir::Value value);
/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) in any order of its factors.
std::optional<MatchedActivation> matchGeluTanh(mlir::Value value);
/// max(x, 0), where NaN stays NaN.
std::optional<MatchedActivation> matchRelu(mlir::Value value);
/// x / (1 + exp(-x)), or x times the logistic function.
std::optional<MatchedActivation> matchSilu(mlir::Value value);
std::optional<MatchedActivation> matchTanh(mlir::Value value);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_ACTIVATION_H
