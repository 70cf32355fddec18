//===- BertConfig.cpp - what config.json says of a bert -------------------===//

#include "BertConfig.h"

#include "Config.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace heddle;

/// The names of transformers.activations that are one of ours.
static std::optional<Activation> getActivation(StringRef name) {
  return llvm::StringSwitch<std::optional<Activation>>(name)
      .Case("gelu", Activation::Gelu)
      .Case("gelu_fast", Activation::GeluTanh)
      .Case("gelu_new", Activation::GeluTanh)
      .Case("gelu_pytorch_tanh", Activation::GeluTanh)
      .Case("relu", Activation::Relu)
      .Case("silu", Activation::Silu)
      .Case("swish", Activation::Silu)
      .Case("tanh", Activation::Tanh)
      .Default(std::nullopt);
}

FailureOr<BertConfig> BertConfig::read(Location loc, const llvm::json::Object &object) {
  Config config(loc, object);
  BertConfig bert;
  // What transformers' BertConfig defaults, and checkpoints leave out.
  bert.vocabulary = config.size("vocab_size");
  bert.types = config.size("type_vocab_size", 2);
  bert.positions = config.size("max_position_embeddings");
  bert.hidden = config.size("hidden_size");
  bert.intermediate = config.size("intermediate_size");
  bert.layers = config.size("num_hidden_layers");
  bert.heads = config.size("num_attention_heads");
  bert.epsilon = config.number("layer_norm_eps", 1e-12);
  StringRef activation = config.string("hidden_act", "gelu");
  bert.activation = getActivation(activation).value_or(Activation::Gelu);

  if (!getActivation(activation))
    config.refuse("hidden_act") << "'" << activation << "' is not supported, only gelu, gelu_fast, gelu_new, "
                                << "gelu_pytorch_tanh, relu, silu, swish and tanh";
  StringRef positions = config.string("position_embedding_type", "absolute");
  if (positions != "absolute")
    config.refuse("position_embedding_type") << "'" << positions << "' is not supported, only absolute";
  if (config.flag("is_decoder"))
    config.refuse("is_decoder") << "a bert that decodes is not supported, only encoders";
  if (config.flag("add_cross_attention"))
    config.refuse("add_cross_attention") << "a bert that attends to an encoder is not supported, only encoders";
  if (object.get("quantization_config") && !object.get("quantization_config")->getAsNull())
    config.refuse("quantization_config") << "quantized weights are not supported";
  if (!config.failed() && bert.hidden % bert.heads != 0)
    config.refuse("hidden_size") << "expected a multiple of num_attention_heads, found " << bert.hidden
                                 << " and " << bert.heads;
  if (config.failed())
    return failure();
  return bert;
}
