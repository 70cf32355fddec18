//===- Electra.cpp - electra ----------------------------------------------===//

#include "BertLike.h"
#include "Families.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Electra differs from bert in its heads and in its embeddings, which may be narrower than the layers.
class Electra : public BertLike {
  void readHead(Config &config, Head kind) override;
  Value project(Layers &layers, Value embedded) override;
};
} // namespace

void Electra::readHead(Config &config, Head kind) {
  embedded = config.sizeOr("embedding_size", 128);
  // Only ElectraForMultipleChoice uses these fields.
  config.ignore({"summary_activation", "summary_last_dropout", "summary_type", "summary_use_proj"});
  if (kind == Head::SequenceClassification) {
    head.pool = HeadLayers::Pool::First;
    head.dense = {"classifier.dense", hidden};
    head.activation = Activation::Gelu;
    head.classify(config, "classifier.out_proj");
  } else if (kind == Head::TokenClassification) {
    head.classify(config, "classifier");
  } else if (kind == Head::QuestionAnswering) {
    head.findAnswer(config);
  } else if (kind == Head::PreTraining) { // the head predicts which words were replaced
    head.dense = {"discriminator_predictions.dense", hidden};
    head.activation = activation;
    head.weights = {"discriminator_predictions.dense_prediction.weight"};
    head.biases = {"discriminator_predictions.dense_prediction.bias"};
    head.out = 1;
    head.ofTokens = {"logits"};
  } else if (kind == Head::MaskedLM) {
    head.dense = {"generator_predictions.dense", embedded};
    head.activation = Activation::Gelu;
    head.norm = "generator_predictions.LayerNorm";
    head.predictWords(config, "generator_lm_head", "electra.embeddings.word_embeddings.weight",
                      "generator_lm_head.bias", vocabulary);
  }
}

Value Electra::project(Layers &layers, Value value) {
  return embedded == hidden ? value : layers.linear(value, {"embeddings_project", hidden});
}

std::unique_ptr<Family> heddle::makeElectra() { return std::make_unique<Electra>(); }
