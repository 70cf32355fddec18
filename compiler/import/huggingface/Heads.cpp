//===- Heads.cpp - heads after the last hidden state ----------------------===//

#include "Heads.h"

#include "PooledTokens.h"
#include "Tensors.h"

using namespace mlir;
using namespace heddle;

/// Returns the number of labels as transformers determines it: the number in config.json or, if config.json contains
/// none, two.
static int64_t readLabels(Config &config) {
  int64_t named = config.has("id2label") ? config.count("id2label") : 0;
  int64_t counted = config.sizeOrNull("num_labels", named ? named : 2);
  if (named && counted != named)
    config.refuse("num_labels") << "expected the number of labels in id2label, " << named << ", found " << counted;
  return counted;
}

void HeadLayers::poolFirst(const std::string &name, int64_t hidden) {
  pool = Pool::First;
  dense = {name, hidden};
  activation = Activation::Tanh;
}

void HeadLayers::classify(Config &config, const std::string &name) {
  weights = {name + ".weight"};
  biases = {name + ".bias"};
  out = readLabels(config);
}

void HeadLayers::findAnswer(Config &config, const std::string &name) {
  classify(config, name);
  ofTokens = {"start_logits", "end_logits"};
  if (out != 2)
    config.refuse(config.has("id2label") ? "id2label" : "num_labels")
        << "expected 2 labels, the begin and the end of an answer, found " << out;
}

void HeadLayers::predictWords(Config &config, const std::string &name, const std::string &embeddings,
                              const std::string &tiedBias, int64_t vocabulary) {
  weights = {name + ".weight"};
  biases = {name + ".bias"};
  out = vocabulary;
  if (!config.flag("tie_word_embeddings", true))
    return;
  // A checkpoint may contain a tied weight under the name of the head, under the name of the embeddings, or under both.
  weights.insert(weights.begin(), embeddings);
  if (tiedBias != biases.front())
    biases.insert(biases.begin(), tiedBias);
}

Value HeadLayers::build(Layers &layers, Value hidden, Value mask) const {
  Value state = hidden;
  if (pool == Pool::First)
    state = takeToken(layers.main, hidden, 0);
  if (pool == Pool::Mean)
    state = meanOfTokens(layers.main, hidden, mask);
  if (dense)
    state = layers.linear(state, *dense, /*residual=*/{}, activation);
  if (!norm.empty())
    state = layers.layerNorm(state, norm, epsilon, normBias);
  return layers.linear(state, weights, biases, out);
}

NamedValues HeadLayers::results(Layers &layers, Value hidden, Value mask) const {
  Value made = build(layers, hidden, mask);
  if (ofTokens.empty())
    return {{name, made}};
  NamedValues results;
  for (auto [i, part] : llvm::enumerate(ofTokens))
    results.push_back({part, takeFeature(layers.main, made, i)});
  return results;
}
