//===- DistilBert.cpp - distilbert ----------------------------------------===//

#include "Families.h"
#include "PostNormEncoder.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Distilbert differs from bert in names, and has neither token types nor a pooler.
class DistilBert : public PostNormEncoder {
public:
  DistilBert()
      : PostNormEncoder({"attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin",
                         "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm"}) {}

  void read(Config &config, Head kind) override;
  std::string layerName(int64_t index) override { return "transformer.layer." + std::to_string(index); }
};
} // namespace

void DistilBert::read(Config &config, Head kind) {
  readLayers(config, {"dim", "hidden_dim", "n_layers", "n_heads", "activation"});
  epsilon = head.epsilon = 1e-12;
  // sinusoidal_pos_embds determines how the table of positions was initialised. The checkpoint contains the table, so
  // the field has no effect. The other fields do not change the results either.
  config.ignore({"qa_dropout", "seq_classif_dropout", "sinusoidal_pos_embds", "tie_weights_"});
  if (kind == Head::SequenceClassification) {
    head.pool = HeadLayers::Pool::First;
    head.dense = {"pre_classifier", hidden};
    head.activation = Activation::Relu;
  }
  if (kind == Head::MaskedLM) {
    head.dense = {"vocab_transform", hidden};
    head.activation = activation;
    head.norm = "vocab_layer_norm";
    head.predictWords(config, "vocab_projector", "distilbert.embeddings.word_embeddings.weight",
                      "vocab_projector.bias", vocabulary);
  } else if (kind == Head::QuestionAnswering) {
    head.findAnswer(config);
  } else if (kind != Head::None) {
    head.classify(config, "classifier");
  }
}

std::unique_ptr<Family> heddle::makeDistilBert() { return std::make_unique<DistilBert>(); }
