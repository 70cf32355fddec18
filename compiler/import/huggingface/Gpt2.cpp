//===- Gpt2.cpp - gpt2 ----------------------------------------------------===//

#include "Activations.h"
#include "Decoder.h"
#include "Families.h"
#include "Tensors.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {
/// Gpt2 normalises the inputs of attention and of feed-forward blocks, and adds a table of positions to the embeddings.
class Gpt2 : public Decoder {
public:
  Gpt2() : Decoder("transformer.", "wte.weight") {
    tiedByDefault = true;
    tokenClassifier = "classifier";
  }
  void readModel(Config &config) override;
  Value build(Layers &layers, const TokenInputs &inputs) override;

private:
  Value layer(Layers &layers, Value state, const AttentionTraits &traits, const std::string &name);

  int64_t inner = 0, layerCount = 0, heads = 0; // `inner`: the width of the feed-forward block
  double epsilon = 0;
  Activation activation = Activation::None;
  // Whether scores are divided by sqrt(head size), and whether they are divided by the number of the layer (the first
  // layer has the number 1).
  bool scales = true, scalesByLayer = false;
};
} // namespace

void Gpt2::readModel(Config &config) {
  vocabulary = config.size("vocab_size");
  positions = capacity = config.size("n_positions");
  hidden = config.size("n_embd");
  layerCount = config.layers("n_layer");
  heads = config.size("n_head");
  inner = config.sizeOrNull("n_inner", 4 * hidden);
  epsilon = config.number("layer_norm_epsilon", 1e-5);
  activation = readActivation(config, "activation_function", "gelu_new");
  scales = config.flag("scale_attn_weights", true);
  scalesByLayer = config.flag("scale_attn_by_inverse_layer_idx");
  // n_ctx repeats n_positions, and reorder_and_upcast_attn only affects how scores are rounded. The fields summary_*
  // belong to a head that is not supported.
  config.ignore({"n_ctx", "reorder_and_upcast_attn", "summary_activation", "summary_first_dropout",
                 "summary_proj_to_labels", "summary_type", "summary_use_proj"});
  if (!config.failed() && hidden % heads != 0)
    config.refuse("n_embd") << "expected a multiple of n_head, found " << hidden << " and " << heads;
}

Value Gpt2::layer(Layers &layers, Value state, const AttentionTraits &traits, const std::string &name) {
  // A linear layer whose weight is stored as [in, out].
  auto stored = [&](const char *part, int64_t out) {
    Projection projection = {name + part, out};
    projection.inOut = true;
    return projection;
  };
  Value input = layers.layerNorm(state, name + "ln_1", epsilon);
  // Query, key and value are parts 0, 1 and 2 of one stored layer.
  auto project = [&](int64_t part) {
    Projection projection = stored("attn.c_attn", hidden);
    projection.storedOut = 3 * hidden;
    projection.begin = part * hidden;
    return layers.splitHeads(layers.linear(input, projection), heads);
  };
  Value query = project(0), key = project(1), value = project(2);
  Value attended = layers.mergeHeads(layers.attention(query, key, value, traits));
  state = layers.linear(attended, stored("attn.c_proj", hidden), /*residual=*/state);
  FeedForward ffn = {stored("mlp.c_fc", inner), stored("mlp.c_proj", hidden)};
  ffn.activation = activation;
  return layers.feedForward(layers.layerNorm(state, name + "ln_2", epsilon), ffn, /*residual=*/state);
}

Value Gpt2::build(Layers &layers, const TokenInputs &inputs) {
  Value state = embed(layers, inputs.ids);
  Value places = layers.rowsOfPositions(layers.weight({"wpe.weight"}, {positions, hidden}));
  if (auto type = cast<RankedTensorType>(state.getType()); places.getType() != type)
    places = broadcast(layers.main, places, type, {0});
  state = layers.add(state, places);
  AttentionTraits traits = attendTokens(layers, inputs);
  for (int64_t i = 0; i < layerCount && !layers.checkpoint.failed(); ++i) {
    std::string name = "h." + std::to_string(i);
    layers.enter(name);
    double scale = scales ? 1 / std::sqrt(double(hidden / heads)) : 1;
    traits.scale = scalesByLayer ? scale / double(i + 1) : scale;
    state = layer(layers, state, traits, name + ".");
  }
  layers.enter("ln_f");
  return layers.layerNorm(state, "ln_f", epsilon);
}

std::unique_ptr<Family> heddle::makeGpt2() { return std::make_unique<Gpt2>(); }
