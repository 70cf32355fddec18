//===- Heads.h - heads after the last hidden state --------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_HEADS_H
#define HEDDLE_IMPORT_HUGGINGFACE_HEADS_H

#include "Family.h"

namespace heddle {

/// A head: optionally a linear layer with an activation and a normalisation, then the last linear layer, which computes
/// logits. The head is applied to all tokens, or to one pooled vector of each sequence.
struct HeadLayers {
  /// The pooled vector: none (the head is applied to all tokens), the first token's vector, or the mean of the vectors
  /// of all tokens.
  enum class Pool { None, First, Mean };
  Pool pool = Pool::None;
  std::optional<Projection> dense = std::nullopt; // the linear layer before the last one, if there is one
  Activation activation = Activation::None;       // the activation after `dense`
  std::string norm;                               // the name of the normalisation; empty if there is none
  bool normBias = true;                           // whether the normalisation has a bias
  double epsilon = 0;
  /// The possible names of the last layer's weight, stored as [out, in], and of its bias. If the layer is tied to the
  /// token embeddings, `weights` contains their name as well.
  llvm::SmallVector<std::string> weights, biases;
  int64_t out = 0; // the number of logits
  /// The name of the output. If `ofTokens` is not empty, it contains the names of several outputs [batch, sequence],
  /// one for each logit of a token, and `name` is not used.
  llvm::StringRef name = "logits";
  llvm::SmallVector<llvm::StringRef> ofTokens;

  /// Builds the head and returns its logits.
  mlir::Value build(Layers &layers, mlir::Value hidden, mlir::Value mask) const;
  /// Builds the head and returns its outputs by name.
  NamedValues results(Layers &layers, mlir::Value hidden, mlir::Value mask) const;

  /// Selects pooling of the first token, whose vector passes through the linear layer `name` and tanh before the last
  /// layer.
  void poolFirst(const std::string &name, int64_t hidden);
  /// Sets the last layer: its tensors are NAME.weight and NAME.bias, and it has one output for each label in
  /// config.json.
  void classify(Config &config, const std::string &name);
  /// Sets the last layer, NAME, to a layer that scores each token as the start and as the end of an answer.
  void findAnswer(Config &config, const std::string &name = "qa_outputs");
  /// Sets the last layer to a layer that scores each word of the vocabulary. Its tensors are NAME.weight and NAME.bias.
  /// Unless `tie_word_embeddings` is false, the checkpoint may contain them under the names `embeddings` and
  /// `tiedBias`, instead or as well.
  void predictWords(Config &config, const std::string &name, const std::string &embeddings,
                    const std::string &tiedBias, int64_t vocabulary);
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_HEADS_H
