//===- PostNormEncoder.h - encoders that normalise behind layers -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_POSTNORMENCODER_H
#define HEDDLE_IMPORT_HUGGINGFACE_POSTNORMENCODER_H

#include "Family.h"

namespace heddle {

/// What bert and its kin have in common: attention, then two linear layers, each with a residual and a
/// normalisation behind it. They differ in names, embeddings and heads.
class PostNormEncoder : public Family {
protected:
  /// Names of a layer's tensors, behind the layer's own.
  struct Names {
    const char *query, *key, *value, *output, *attentionNorm, *up, *down, *norm;
  };

  /// Names of the fields of config.json.
  struct Fields {
    const char *hidden = "hidden_size", *intermediate = "intermediate_size", *layers = "num_hidden_layers",
               *heads = "num_attention_heads", *activation = "hidden_act";
  };

  PostNormEncoder(const Names &names) : names(names) {}

  /// Sizes and the activation; and refuses what makes a decoder of an encoder.
  void readLayers(Config &config, const Fields &fields);

  /// One layer; `name` ends with a dot.
  mlir::Value layer(Layers &layers, mlir::Value input, const AttentionTraits &attention, const std::string &name);

  const Names names;
  int64_t intermediate = 0, layerCount = 0, heads = 0;
  double epsilon = 0;
  Activation activation = Activation::None;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_POSTNORMENCODER_H
