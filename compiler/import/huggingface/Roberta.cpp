//===- Roberta.cpp - roberta and xlm-roberta ------------------------------===//

#include "BertLike.h"
#include "Families.h"

using namespace mlir;
using namespace heddle;

namespace {
class Roberta : public BertLike {
  void readHead(Config &config, Head kind) override;
};
} // namespace

void Roberta::readHead(Config &config, Head kind) {
  countPositions(config, config.sizeOr("pad_token_id", 1, /*least=*/0));
  if (kind == Head::SequenceClassification) {
    head.pool = HeadLayers::Pool::First;
    head.dense = {"classifier.dense", hidden};
    head.activation = Activation::Tanh;
    head.classify(config, "classifier.out_proj");
  } else if (kind == Head::TokenClassification) {
    head.classify(config, "classifier");
  } else if (kind == Head::MaskedLM) {
    head.dense = {"lm_head.dense", hidden};
    head.activation = Activation::Gelu;
    head.norm = "lm_head.layer_norm";
    head.predictWords(config, "lm_head.decoder", "roberta.embeddings.word_embeddings.weight",
                      "lm_head.bias", vocabulary);
  }
}

std::unique_ptr<Family> heddle::makeRoberta() { return std::make_unique<Roberta>(); }
