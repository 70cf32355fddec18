//===- Heads.h - what stands behind the last hidden state -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_HEADS_H
#define HEDDLE_IMPORT_HUGGINGFACE_HEADS_H

#include "Family.h"

namespace heddle {

/// A linear layer with an activation, and a normalisation in some, behind which the last linear layer makes logits.
/// Of all tokens, or of one vector for a sequence.
struct HeadLayers {
  enum class Pool { None, First, Mean };
  Pool pool = Pool::None;
  std::optional<Projection> dense = std::nullopt;
  Activation activation = Activation::None;
  std::string norm; // empty: none
  bool normBias = true;
  double epsilon = 0;
  /// The last layer; where it is tied to the embeddings, by their name, [out, in] as well.
  llvm::SmallVector<std::string> weights, biases;
  int64_t out = 0;
  /// What they are called; or where each of them is a result of its own, [batch, sequence], the names of all.
  llvm::StringRef name = "logits";
  llvm::SmallVector<llvm::StringRef> ofTokens;

  mlir::Value build(Layers &layers, mlir::Value hidden, mlir::Value mask) const;
  /// That, by name.
  NamedValues results(Layers &layers, mlir::Value hidden, mlir::Value mask) const;

  /// Before the last layer, that of the first token goes through the layer `name`, and tanh.
  void poolFirst(const std::string &name, int64_t hidden);
  /// A last layer NAME.weight and NAME.bias with as many outputs as config.json has labels.
  void classify(Config &config, const std::string &name);
  /// A last layer NAME that tells of each token whether an answer begins there, and whether it ends.
  void findAnswer(Config &config, const std::string &name = "qa_outputs");
  /// A last layer that makes a score of each word: NAME.weight and NAME.bias, or where config.json says that these
  /// are tied, the `embeddings` and the `tiedBias`.
  void predictWords(Config &config, const std::string &name, const std::string &embeddings,
                    const std::string &tiedBias, int64_t vocabulary);
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_HEADS_H
