//===- Roberta.cpp - roberta and xlm-roberta ------------------------------===//

#include "BertLike.h"
#include "Families.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Roberta differs from bert in its heads and in the positions of tokens, which begin at 1 + the index of the padding
/// token.
class Roberta : public BertLike {
  void readHead(Config &config, Head kind) override;
};
} // namespace

void Roberta::readHead(Config &config, Head kind) {
  countPositions(config, config.sizeOr("pad_token_id", 1, /*minimum=*/0));
  readRobertaHead(config, kind, "roberta.embeddings.word_embeddings.weight");
}

std::unique_ptr<Family> heddle::makeRoberta() { return std::make_unique<Roberta>(); }
