//===- Albert.cpp - albert ------------------------------------------------===//

#include "Families.h"
#include "PostNormEncoder.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Layers of albert share weights. The embeddings are projected to the width of the layers.
class Albert : public PostNormEncoder {
public:
  Albert()
      : PostNormEncoder({"attention.query", "attention.key", "attention.value", "attention.dense",
                         "attention.LayerNorm", "ffn", "ffn_output", "full_layer_layer_norm"}) {}

  void read(Config &config, Head kind) override;
  std::string layerName(int64_t index) override;
  Value project(Layers &layers, Value embedded) override;

private:
  void readHead(Config &config, Head kind);

  // The model consists of `repeats` blocks (num_hidden_layers) of `inner` layers each. There are `groups` sets of
  // weights, and consecutive blocks share a set. `layerCount` is repeats x inner.
  int64_t repeats = 1, groups = 1, inner = 1;
};
} // namespace

void Albert::read(Config &config, Head kind) {
  readLayers(config);
  readPositions(config);
  types = config.sizeOr("type_vocab_size", 2);
  epsilon = head.epsilon = config.number("layer_norm_eps", 1e-12);
  embedded = config.sizeOr("embedding_size", 128);
  repeats = layerCount;
  groups = config.sizeOr("num_hidden_groups", 1);
  inner = config.sizeOr("inner_group_num", 1);
  if (groups > repeats)
    config.refuse("num_hidden_groups") << "expected at most num_hidden_layers, " << repeats << ", found " << groups;
  constexpr int64_t limit = 1 << 16;
  if (inner > limit / repeats)
    config.refuse("inner_group_num") << "expected at most " << limit << " layers in all, found " << repeats << " x "
                                     << inner;
  layerCount = config.failed() ? 1 : repeats * inner;
  // Older files contain these fields, but transformers does not read them.
  config.ignore({"down_scale_factor", "gap_size", "net_structure_type", "num_memory_blocks"});
  readHead(config, kind);
}

void Albert::readHead(Config &config, Head kind) {
  if (kind == Head::SequenceClassification)
    head.poolFirst("albert.pooler", hidden);
  if (kind == Head::MaskedLM || kind == Head::PreTraining) {
    head.dense = {"predictions.dense", embedded};
    head.activation = activation;
    head.norm = "predictions.LayerNorm";
    head.predictWords(config, "predictions.decoder", "albert.embeddings.word_embeddings.weight",
                      "predictions.bias", vocabulary);
  } else if (kind == Head::QuestionAnswering) {
    head.findAnswer(config);
  } else if (kind != Head::None) {
    head.classify(config, "classifier");
  }
  if (kind == Head::PreTraining) {
    head.name = "prediction_logits";
    pairHead.emplace();
    pairHead->poolFirst("albert.pooler", hidden);
    pairHead->classify(config, "sop_classifier.classifier");
    pairHead->name = "sop_logits";
  }
}

std::string Albert::layerName(int64_t index) {
  // transformers computes the group in floating point. Because of rounding, the result may differ from that of integer
  // arithmetic.
  auto group = static_cast<int64_t>(index / inner / (static_cast<double>(repeats) / groups));
  return "encoder.albert_layer_groups." + std::to_string(group) + ".albert_layers." + std::to_string(index % inner);
}

Value Albert::project(Layers &layers, Value value) {
  return layers.linear(value, {"encoder.embedding_hidden_mapping_in", hidden});
}

std::unique_ptr<Family> heddle::makeAlbert() { return std::make_unique<Albert>(); }
