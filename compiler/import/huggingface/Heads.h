//===- Heads.h - heads after the last hidden state --------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_HEADS_H
#define HEDDLE_IMPORT_HUGGINGFACE_HEADS_H

#include "Family.h"

namespace heddle {

/// A head: optionally a linear layer with an activation and a normalisation, then the last linear layer, which computes
/// logits. It is applied to all tokens, or to one pooled vector of each sequence.
struct HeadLayers {
  enum class Pool { None, First, Mean };
  Pool pool = Pool::None;
  std::optional<Projection> dense = std::nullopt;
  Activation activation = Activation::None;
  std::string norm; // the name of the normalisation; empty: none
  bool normBias = true;
  double epsilon = 0;
  /// The possible names of the last layer's weight and bias. If it is tied to the embeddings, these include their name;
  /// they are stored as [out, in] as well.
  llvm::SmallVector<std::string> weights, biases;
  int64_t out = 0;
  /// The name of the output. If each logit is an output of its own, [batch, sequence], `ofTokens` has the names of all
  /// of them.
  llvm::StringRef name = "logits";
  llvm::SmallVector<llvm::StringRef> ofTokens;

  mlir::Value build(Layers &layers, mlir::Value hidden, mlir::Value mask) const;
  /// Builds the head and returns its outputs by name.
  NamedValues results(Layers &layers, mlir::Value hidden, mlir::Value mask) const;

  /// Pools the first token: its row passes through the linear layer `name` and tanh before the last layer.
  void poolFirst(const std::string &name, int64_t hidden);
  /// Makes the last layer NAME.weight and NAME.bias, with one output for each label in config.json.
  void classify(Config &config, const std::string &name);
  /// Makes a last layer NAME that scores each token as the start and as the end of an answer.
  void findAnswer(Config &config, const std::string &name = "qa_outputs");
  /// Makes a last layer that scores each word of the vocabulary, with NAME.weight and NAME.bias. If config.json says
  /// that they are tied, their names are `embeddings` and `tiedBias`.
  void predictWords(Config &config, const std::string &name, const std::string &embeddings,
                    const std::string &tiedBias, int64_t vocabulary);
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_HEADS_H
