//===- MpNet.cpp - mpnet --------------------------------------------------===//

#include "Families.h"
#include "PostNormEncoder.h"
#include "RelativePositions.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Mpnet has the heads of roberta. A bias that depends on the relative position is added to attention scores.
class MpNet : public PostNormEncoder {
public:
  MpNet()
      : PostNormEncoder({"attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o",
                         "attention.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"}) {}

  void read(Config &config, Head kind) override;
  Value scoreBias(Layers &layers) override;

private:
  int64_t buckets = 0; // the number of rows of the table of biases
};
} // namespace

void MpNet::read(Config &config, Head kind) {
  readLayers(config);
  // The id of the padding token is always 1: MPNetEmbeddings in transformers does not read the field pad_token_id.
  countPositions(config, 1);
  epsilon = head.epsilon = config.number("layer_norm_eps", 1e-12);
  buckets = config.sizeOr("relative_attention_num_buckets", RelativeBuckets().count);
  if (buckets < RelativeBuckets().count)
    config.refuse("relative_attention_num_buckets") << "expected at least " << RelativeBuckets().count << ", found "
                                                    << buckets;
  readRobertaHead(config, kind, "mpnet.embeddings.word_embeddings.weight");
}

Value MpNet::scoreBias(Layers &layers) {
  Value table = layers.weight({"encoder.relative_attention_bias.weight"}, {buckets, heads});
  return relativeBias(layers.main, table, RelativeBuckets(), layers.sequence, positions);
}

std::unique_ptr<Family> heddle::makeMpNet() { return std::make_unique<MpNet>(); }
