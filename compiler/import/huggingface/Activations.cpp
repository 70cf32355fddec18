//===- Activations.cpp - activations by transformers' names ---------------===//

#include "Activations.h"

using namespace mlir;
using namespace heddle;

/// The names in transformers.activations that Heddle supports, in the order in which an error lists them.
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

/// The supported classes of torch.nn, by their names relative to torch.nn.modules.
static constexpr std::pair<StringRef, Activation> classes[] = {
    {"activation.GELU", Activation::Gelu}, {"activation.ReLU", Activation::Relu}, {"activation.SiLU", Activation::Silu},
    {"activation.Tanh", Activation::Tanh}, {"linear.Identity", Activation::None},
};

/// Returns the activation whose name in `table`, with the prefix `before`, is `name`. If there is none, emits an error
/// about `field` and returns Activation::None.
static Activation findIn(ArrayRef<std::pair<StringRef, Activation>> table, Config &config, StringRef field,
                         StringRef name, StringRef before = "") {
  std::string known;
  for (auto [other, activation] : table) {
    if (name == (before + other).str())
      return activation;
    bool last = other == table.back().first;
    known += (known.empty() ? "" : last ? " and " : ", ") + other.str();
  }
  config.refuse(field) << "'" << name << "' is not supported, only " << known
                       << (before.empty() ? "" : (" of " + before.drop_back()).str());
  return Activation::None;
}

Activation heddle::readActivation(Config &config, StringRef field, StringRef fallback) {
  return findIn(activations, config, field, config.string(field, fallback));
}

Activation heddle::readTorchActivation(Config &config, StringRef field, StringRef fallback) {
  return findIn(classes, config, field, config.string(field, fallback), "torch.nn.modules.");
}
