//===- GptNeox.cpp - gpt_neox ---------------------------------------------===//

#include "Activations.h"
#include "Decoder.h"
#include "Families.h"
#include "Rotary.h"

using namespace mlir;
using namespace heddle;

namespace {
/// GPT-NeoX has rotary embeddings for a part of each head, and stores query, key and value interleaved by head.
class GptNeox : public RotaryDecoder {
public:
  GptNeox() : RotaryDecoder("gpt_neox.", "embed_in.weight") { tokenClassifier = "classifier"; }
  void readModel(Config &config) override;
  Value build(Layers &layers, const TokenInputs &inputs) override;

private:
  Value layer(Layers &layers, Value state, const AttentionTraits &traits, const Rotation &rotation,
              const std::string &name);

  int64_t intermediate = 0, layerCount = 0, heads = 0;
  double epsilon = 0;
  Activation activation = Activation::None;
  // `bias`: whether the linear layers of attention have biases. `parallel`: whether attention and the feed-forward
  // block both read the input of the layer; otherwise, the feed-forward block reads the result of attention.
  bool bias = true, parallel = true;
};
} // namespace

void GptNeox::readModel(Config &config) {
  vocabulary = config.size("vocab_size");
  hidden = config.size("hidden_size");
  intermediate = config.size("intermediate_size");
  layerCount = config.layers("num_hidden_layers");
  heads = config.size("num_attention_heads");
  epsilon = config.number("layer_norm_eps", 1e-5);
  activation = readActivation(config, "hidden_act", "gelu");
  bias = config.flag("attention_bias", true);
  parallel = config.flag("use_parallel_residual", true);
  config.ignore({"is_decoder"});
  if (!config.failed() && hidden % heads != 0)
    config.refuse("hidden_size") << "expected a multiple of num_attention_heads, found " << hidden << " and " << heads;
  Rotary::Fields fields;
  fields.thetaField = "rotary_emb_base";
  fields.partField = "rotary_pct";
  fields.part = 0.25;
  readRotary(config, hidden / heads, /*maxPositions=*/2048, fields);
}

Value GptNeox::layer(Layers &layers, Value state, const AttentionTraits &traits, const Rotation &rotation,
                     const std::string &name) {
  Value input = layers.layerNorm(state, name + "input_layernorm", epsilon);
  auto project = [&](int64_t part) {
    Projection projection = {name + "attention.query_key_value", hidden, bias};
    projection.storedOut = 3 * hidden;
    projection.begin = part * (hidden / heads);
    projection.groups = heads;
    return layers.splitHeads(layers.linear(input, projection), heads);
  };
  Value query = layers.rotate(project(0), rotation), key = layers.rotate(project(1), rotation), value = project(2);
  Value attended = layers.mergeHeads(layers.attention(query, key, value, traits));
  attended = layers.linear(attended, {name + "attention.dense", hidden, bias}, /*residual=*/state);
  FeedForward ffn = {{name + "mlp.dense_h_to_4h", intermediate}, {name + "mlp.dense_4h_to_h", hidden}};
  ffn.activation = activation;
  input = layers.layerNorm(parallel ? state : attended, name + "post_attention_layernorm", epsilon);
  return layers.feedForward(input, ffn, /*residual=*/attended);
}

Value GptNeox::build(Layers &layers, const TokenInputs &inputs) {
  Value state = embed(layers, inputs.ids);
  Rotation rotation = rotary.build(layers);
  AttentionTraits traits = attendTokens(layers, inputs);
  for (int64_t i = 0; i < layerCount && !layers.checkpoint.failed(); ++i) {
    std::string name = "layers." + std::to_string(i);
    layers.enter(name);
    state = layer(layers, state, traits, rotation, name + ".");
  }
  layers.enter("final_layer_norm");
  return layers.layerNorm(state, "final_layer_norm", epsilon);
}

std::unique_ptr<Family> heddle::makeGptNeox() { return std::make_unique<GptNeox>(); }
