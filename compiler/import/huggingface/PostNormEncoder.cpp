//===- PostNormEncoder.cpp - encoders that normalise after layers ---------===//

#include "PostNormEncoder.h"

#include "Activations.h"
#include "Tensors.h"

using namespace mlir;
using namespace heddle;

void PostNormEncoder::readLayers(Config &config, const EncoderFields &fields) {
  vocabulary = config.size("vocab_size");
  positions = config.size("max_position_embeddings");
  hidden = config.size(fields.hidden);
  intermediate = config.size(fields.intermediate);
  layerCount = config.layers(fields.layers);
  heads = config.size(fields.heads);
  activation = readActivation(config, fields.activation, "gelu");
  if (config.flag("is_decoder"))
    config.refuse("is_decoder") << "true is not supported: Heddle imports this family only as encoders";
  if (!config.failed() && hidden % heads != 0)
    config.refuse(fields.hidden) << "expected a multiple of " << fields.heads << ", found " << hidden << " and "
                                 << heads;
}

void PostNormEncoder::readPositions(Config &config) {
  StringRef kind = config.string("position_embedding_type", "absolute");
  if (kind != "absolute")
    config.refuse("position_embedding_type") << "'" << kind << "' is not supported, only absolute";
}

void PostNormEncoder::countPositions(Config &config, int64_t padding) {
  this->padding = padding;
  positions -= padding + 1;
  if (!config.failed() && positions < 1)
    config.refuse("max_position_embeddings") << "expected more than " << padding + 1
                                             << ", the position of the first token, found " << positions + padding + 1;
}

void PostNormEncoder::readRobertaHead(Config &config, Head kind, const std::string &embeddings) {
  if (kind == Head::SequenceClassification) {
    head.poolFirst("classifier.dense", hidden);
    head.classify(config, "classifier.out_proj");
  } else if (kind == Head::TokenClassification) {
    head.classify(config, "classifier");
  } else if (kind == Head::QuestionAnswering) {
    head.findAnswer(config);
  } else if (kind == Head::MaskedLM) {
    head.dense = {"lm_head.dense", hidden};
    head.activation = Activation::Gelu;
    head.norm = "lm_head.layer_norm";
    head.predictWords(config, "lm_head.decoder", embeddings, "lm_head.bias", vocabulary);
  }
}

Value PostNormEncoder::embed(Layers &layers, const TokenInputs &inputs) {
  MainBuilder &main = layers.main;
  int64_t width = embedded ? embedded : hidden;
  Value sum = layers.embed("embeddings.word_embeddings.weight", vocabulary, width, inputs.ids);
  if (inputs.types)
    sum = layers.add(sum, layers.embed("embeddings.token_type_embeddings.weight", types, width, inputs.types));
  Value places = layers.weight({"embeddings.position_embeddings.weight"},
                               {padding ? positions + *padding + 1 : positions, width});
  if (padding)
    places = lookUp(main, places, positionsOfTokens(main, inputs.ids, *padding));
  else
    places = broadcast(main, takeRows(main, places, layers.sequence), cast<RankedTensorType>(sum.getType()), {0});
  return layers.layerNorm(layers.add(sum, places), "embeddings.LayerNorm", epsilon);
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

Value PostNormEncoder::build(Layers &layers, const TokenInputs &inputs) {
  layers.enter("embeddings");
  Value state = project(layers, embed(layers, inputs));
  if (layers.checkpoint.failed()) // if the sizes in config.json are wrong, constants might be huge
    return state;
  AttentionTraits attention;
  attention.mask = layers.maskKeys(inputs.mask);
  attention.bias = scoreBias(layers);
  for (int64_t i = 0; i < layerCount && !layers.checkpoint.failed(); ++i) {
    std::string name = layerName(i);
    layers.enter(name);
    state = layer(layers, state, attention, name + ".");
  }
  return state;
}

NamedValues PostNormEncoder::buildHead(Layers &layers, const TokenInputs &inputs, Value hidden) {
  NamedValues results = head.results(layers, hidden, inputs.mask);
  if (pairHead)
    llvm::append_range(results, pairHead->results(layers, hidden, inputs.mask));
  return results;
}
