//===- Bert.cpp - bert ----------------------------------------------------===//

#include "BertLike.h"
#include "Families.h"

using namespace mlir;
using namespace heddle;

namespace {
class Bert : public BertLike {
  void readHead(Config &config, Head kind) override;
};
} // namespace

void Bert::readHead(Config &config, Head kind) {
  if (kind == Head::SequenceClassification) {
    head.pool = HeadLayers::Pool::First;
    head.dense = {"bert.pooler.dense", hidden};
    head.activation = Activation::Tanh;
  }
  if (kind == Head::MaskedLM) {
    head.dense = {"cls.predictions.transform.dense", hidden};
    head.activation = activation;
    head.norm = "cls.predictions.transform.LayerNorm";
    head.predictWords(config, "cls.predictions.decoder", "bert.embeddings.word_embeddings.weight",
                      "cls.predictions.bias", vocabulary);
  } else if (kind != Head::None) {
    head.classify(config, "classifier");
  }
}

std::unique_ptr<Family> heddle::makeBert() { return std::make_unique<Bert>(); }
