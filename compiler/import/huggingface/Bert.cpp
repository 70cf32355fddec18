//===- Bert.cpp - bert ----------------------------------------------------===//
//
// What BertModel of transformers computes.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "PostNormEncoder.h"
#include "Tensors.h"

using namespace mlir;
using namespace heddle;

namespace {
class Bert : public PostNormEncoder {
public:
  Bert()
      : PostNormEncoder({"attention.self.query", "attention.self.key", "attention.self.value",
                         "attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense",
                         "output.LayerNorm"}) {}

  void read(Config &config, Head head) override;
  Value build(Layers &layers, const TokenInputs &inputs) override;
  Value buildHead(Layers &layers, const TokenInputs &inputs, Value hidden) override { return {}; }
};
} // namespace

void Bert::read(Config &config, Head head) {
  readLayers(config, {});
  types = config.sizeOr("type_vocab_size", 2);
  epsilon = config.number("layer_norm_eps", 1e-12);
  StringRef kind = config.string("position_embedding_type", "absolute");
  if (kind != "absolute")
    config.refuse("position_embedding_type") << "'" << kind << "' is not supported, only absolute";
}

Value Bert::build(Layers &layers, const TokenInputs &inputs) {
  MainBuilder &main = layers.main;
  Value words = layers.weight({"embeddings.word_embeddings.weight"}, {vocabulary, hidden});
  Value segments = layers.weight({"embeddings.token_type_embeddings.weight"}, {types, hidden});
  Value places = layers.weight({"embeddings.position_embeddings.weight"}, {positions, hidden});
  places = takeRows(main, places, layers.sequence);
  Value sum = layers.add(lookUp(main, words, inputs.ids), lookUp(main, segments, inputs.types));
  sum = layers.add(sum, broadcast(main, places, cast<RankedTensorType>(sum.getType()), {0}));
  Value state = layers.layerNorm(sum, "embeddings.LayerNorm", epsilon);

  AttentionTraits attention;
  attention.mask = layers.maskKeys(inputs.mask);
  for (int64_t i = 0; i < layerCount; ++i) {
    std::string name = "encoder.layer." + std::to_string(i);
    layers.enter(name);
    state = layer(layers, state, attention, name + ".");
  }
  return state;
}

std::unique_ptr<Family> heddle::makeBert() { return std::make_unique<Bert>(); }
