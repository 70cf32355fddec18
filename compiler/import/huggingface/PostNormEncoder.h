//===- PostNormEncoder.h - encoders that normalise behind layers -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_POSTNORMENCODER_H
#define HEDDLE_IMPORT_HUGGINGFACE_POSTNORMENCODER_H

#include "Family.h"
#include "Heads.h"

namespace heddle {

/// Names of the fields of config.json.
struct EncoderFields {
  const char *hidden = "hidden_size", *intermediate = "intermediate_size", *layers = "num_hidden_layers",
             *heads = "num_attention_heads", *activation = "hidden_act";
};

/// What bert and its kin have in common: the embeddings of a token's word, type and position, summed and normalised;
/// then in each layer attention and two linear layers, each with a residual and a normalisation behind it. They
/// differ in names, in positions, and in heads.
class PostNormEncoder : public Family {
public:
  mlir::Value build(Layers &layers, const TokenInputs &inputs) override;
  NamedValues buildHead(Layers &layers, const TokenInputs &inputs, mlir::Value hidden) override;

protected:
  /// Names of a layer's tensors, behind the layer's own.
  struct Names {
    const char *query, *key, *value, *output, *attentionNorm, *up, *down, *norm;
  };

  PostNormEncoder(const Names &names) : names(names) {}

  /// Sizes and the activation; and refuses what makes a decoder of an encoder.
  void readLayers(Config &config, const EncoderFields &fields = {});
  /// `position_embedding_type`: there are absolute ones.
  void readPositions(Config &config);
  /// Positions are counted from the first token that is not `padding`, and begin behind that number.
  void countPositions(Config &config, int64_t padding);

  /// The heads of roberta, mpnet has them too; those of masked words may be tied to the `embeddings`.
  void readRobertaHead(Config &config, Head kind, const std::string &embeddings);

  /// The name of the layer `index`, "encoder.layer.0".
  virtual std::string layerName(int64_t index) { return "encoder.layer." + std::to_string(index); }
  /// Between embeddings and layers.
  virtual mlir::Value project(Layers &layers, mlir::Value embedded) { return embedded; }
  /// Added to the scores of each layer, [1, heads, sequence, sequence]; null for nothing.
  virtual mlir::Value scoreBias(Layers &layers) { return {}; }

  mlir::Value layer(Layers &layers, mlir::Value input, const AttentionTraits &attention, const std::string &name);

  const Names names;
  int64_t intermediate = 0, layerCount = 0, heads = 0;
  int64_t embedded = 0; // the width of the embeddings; 0: `hidden`
  double epsilon = 0;
  Activation activation = Activation::None;
  std::optional<int64_t> padding; // see `countPositions`
  HeadLayers head;
  std::optional<HeadLayers> pairHead; // in training beside that of words: whether two sentences belong together

private:
  mlir::Value embed(Layers &layers, const TokenInputs &inputs);
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_POSTNORMENCODER_H
