//===- PostNormEncoder.h - encoders that normalise after layers -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_POSTNORMENCODER_H
#define HEDDLE_IMPORT_HUGGINGFACE_POSTNORMENCODER_H

#include "Family.h"
#include "Heads.h"

namespace heddle {

/// The names of fields of config.json. Families use different names for fields with the same meaning; the defaults are
/// the names that most families use.
struct EncoderFields {
  const char *hidden = "hidden_size", *intermediate = "intermediate_size", *layers = "num_hidden_layers",
             *heads = "num_attention_heads", *activation = "hidden_act";
};

/// The base class of bert and similar encoders. The embeddings of each token's word, type and position are summed and
/// normalised. Each layer has attention and a feed-forward block, each with a residual and followed by a normalisation.
/// Encoders of this class differ, for example, in names, positions and heads.
class PostNormEncoder : public Family {
public:
  mlir::Value build(Layers &layers, const TokenInputs &inputs) override;
  NamedValues buildHead(Layers &layers, const TokenInputs &inputs, mlir::Value hidden) override;

protected:
  /// The names of the linear layers and norms of an encoder layer, without the name of the encoder layer as prefix.
  struct Names {
    const char *query, *key, *value, *output, *attentionNorm, *up, *down, *norm;
  };

  PostNormEncoder(const Names &names) : names(names) {}

  /// Reads sizes and the activation. Refuses a model with `is_decoder`, and a hidden size that is not a multiple of the
  /// number of heads.
  void readLayers(Config &config, const EncoderFields &fields = {});
  /// Reads `position_embedding_type`; only absolute positions are supported.
  void readPositions(Config &config);
  /// Selects positions as in roberta: the positions of tokens begin at `padding` + 1, and all padding tokens have the
  /// position `padding`, which is also the id of the padding token. Reduces `positions` by `padding` + 1, because
  /// tokens other than padding do not use the first `padding` + 1 rows of the table of positions.
  void countPositions(Config &config, int64_t padding);

  /// Reads the fields of the heads of roberta; mpnet has the same heads. `embeddings` is the name of the token
  /// embeddings' weight, which the head for masked words may share.
  void readRobertaHead(Config &config, Head kind, const std::string &embeddings);

  /// Returns the name of layer `index`, such as "encoder.layer.0".
  virtual std::string layerName(int64_t index) { return "encoder.layer." + std::to_string(index); }
  /// Projects the embeddings to the width of the layers.
  virtual mlir::Value project(Layers &layers, mlir::Value embedded) { return embedded; }
  /// Returns the bias that every layer adds to its attention scores, [1, heads, sequence, sequence]; null if there is
  /// none.
  virtual mlir::Value scoreBias(Layers &layers) { return {}; }

  /// Builds an encoder layer. The names of its tensors have the prefix `name`.
  mlir::Value layer(Layers &layers, mlir::Value input, const AttentionTraits &attention, const std::string &name);

  const Names names;
  int64_t intermediate = 0, layerCount = 0, heads = 0;
  int64_t embedded = 0; // the width of the embeddings; 0 if the width is `hidden`
  double epsilon = 0;
  Activation activation = Activation::None;
  std::optional<int64_t> padding; // the id of the padding token, if countPositions() was called
  HeadLayers head;
  // The second head of pre-training, which classifies a pair of sentences.
  std::optional<HeadLayers> pairHead;

private:
  /// Returns the normalised sum of the embeddings, before project().
  mlir::Value embed(Layers &layers, const TokenInputs &inputs);
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_POSTNORMENCODER_H
