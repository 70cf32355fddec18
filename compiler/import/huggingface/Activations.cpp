//===- Activations.cpp - activations by transformers' names ---------------===//

#include "Activations.h"

using namespace mlir;
using namespace heddle;

/// The names of transformers.activations that are one of ours, in the order in which a message lists them.
static constexpr std::pair<StringRef, Activation> activations[] = {
    {"gelu", Activation::Gelu},
    {"gelu_fast", Activation::GeluTanh},
    {"gelu_new", Activation::GeluTanh},
    {"gelu_python", Activation::Gelu},
    {"gelu_pytorch_tanh", Activation::GeluTanh},
    {"linear", Activation::None},
    {"relu", Activation::Relu},
    {"silu", Activation::Silu},
    {"swish", Activation::Silu},
    {"tanh", Activation::Tanh},
};

Activation heddle::readActivation(Config &config, StringRef field, StringRef fallback) {
  StringRef name = config.string(field, fallback);
  std::string known;
  for (auto [other, activation] : activations) {
    if (other == name)
      return activation;
    bool last = other == std::end(activations)[-1].first;
    known += (known.empty() ? "" : last ? " and " : ", ") + other.str();
  }
  config.refuse(field) << "'" << name << "' is not supported, only " << known;
  return Activation::None;
}
