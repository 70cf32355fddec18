//===- PostNormEncoder.cpp - encoders that normalise behind layers --------===//

#include "PostNormEncoder.h"

#include "Activations.h"

using namespace mlir;
using namespace heddle;

void PostNormEncoder::readLayers(Config &config, const Fields &fields) {
  vocabulary = config.size("vocab_size");
  positions = config.size("max_position_embeddings");
  hidden = config.size(fields.hidden);
  intermediate = config.size(fields.intermediate);
  layerCount = config.size(fields.layers);
  heads = config.size(fields.heads);
  activation = readActivation(config, fields.activation, "gelu");
  if (config.flag("is_decoder"))
    config.refuse("is_decoder") << "an encoder that decodes is not supported";
  if (!config.failed() && hidden % heads != 0)
    config.refuse(fields.hidden) << "expected a multiple of " << fields.heads << ", found " << hidden << " and "
                                 << heads;
}

Value PostNormEncoder::layer(Layers &layers, Value input, const AttentionTraits &attention, const std::string &name) {
  auto project = [&](const char *part) {
    return layers.splitHeads(layers.linear(input, {name + part, hidden}), heads);
  };
  Value query = project(names.query), key = project(names.key), value = project(names.value);
  Value attended = layers.mergeHeads(layers.attention(query, key, value, attention));
  attended = layers.linear(attended, {name + names.output, hidden}, /*residual=*/input);
  attended = layers.layerNorm(attended, name + names.attentionNorm, epsilon);
  FeedForward ffn = {{name + names.up, intermediate}, {name + names.down, hidden}};
  ffn.activation = activation;
  return layers.layerNorm(layers.feedForward(attended, ffn, /*residual=*/attended), name + names.norm, epsilon);
}
