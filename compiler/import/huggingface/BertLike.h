//===- BertLike.h - encoders with bert's tensor names -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_BERTLIKE_H
#define HEDDLE_IMPORT_HUGGINGFACE_BERTLIKE_H

#include "PostNormEncoder.h"

namespace heddle {

/// An encoder whose tensors (except those of the head) and config.json fields have the same names as those of bert.
class BertLike : public PostNormEncoder {
public:
  BertLike()
      : PostNormEncoder({"attention.self.query", "attention.self.key", "attention.self.value",
                         "attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense",
                         "output.LayerNorm"}) {}

  void read(Config &config, Head kind) override {
    readLayers(config);
    readPositions(config);
    types = config.sizeOr("type_vocab_size", 2);
    epsilon = head.epsilon = config.number("layer_norm_eps", 1e-12);
    readHead(config, kind);
  }

protected:
  /// Reads the fields of the head and sets its layers.
  virtual void readHead(Config &config, Head kind) = 0;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_BERTLIKE_H
