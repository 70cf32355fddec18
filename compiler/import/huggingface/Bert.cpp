//===- Bert.cpp - bert ----------------------------------------------------===//

#include "BertLike.h"
#include "Families.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The heads of bert. BertLike builds the rest of the model.
class Bert : public BertLike {
  void readHead(Config &config, Head kind) override;
};
} // namespace

void Bert::readHead(Config &config, Head kind) {
  if (kind == Head::SequenceClassification)
    head.poolFirst("bert.pooler.dense", hidden);
  if (kind == Head::MaskedLM || kind == Head::PreTraining) {
    head.dense = {"cls.predictions.transform.dense", hidden};
    head.activation = activation;
    head.norm = "cls.predictions.transform.LayerNorm";
    head.predictWords(config, "cls.predictions.decoder", "bert.embeddings.word_embeddings.weight",
                      "cls.predictions.bias", vocabulary);
  } else if (kind == Head::QuestionAnswering) {
    head.findAnswer(config);
  } else if (kind != Head::None) {
    head.classify(config, "classifier");
  }
  if (kind == Head::PreTraining) {
    head.name = "prediction_logits";
    pairHead.emplace();
    pairHead->poolFirst("bert.pooler.dense", hidden);
    pairHead->weights = {"cls.seq_relationship.weight"};
    pairHead->biases = {"cls.seq_relationship.bias"};
    pairHead->out = 2;
    pairHead->name = "seq_relationship_logits";
  }
}

std::unique_ptr<Family> heddle::makeBert() { return std::make_unique<Bert>(); }
