//===- Decoder.h - the base class of decoders -------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_DECODER_H
#define HEDDLE_IMPORT_HUGGINGFACE_DECODER_H

#include "Family.h"
#include "Heads.h"
#include "Rotary.h"

namespace heddle {

/// A decoder. Each token attends to the tokens before it, in this call and in the past if there is one. The head
/// predicts the next token or classifies tokens or sequences.
class Decoder : public Family {
public:
  void read(Config &config, Head head) final;
  NamedValues buildHead(Layers &layers, const TokenInputs &inputs, mlir::Value hidden) override;

protected:
  /// `embedding` is the name of the token embedding's weight. In a model with a head, `prefix` is added in front of it.
  Decoder(const char *prefix, const char *embedding) : prefix(prefix), embedding(embedding) {}

  /// Reads all fields except those of the head.
  virtual void readModel(Config &config) = 0;

  mlir::Value embed(Layers &layers, mlir::Value ids);

  /// The traits of attention in which a query attends to the keys of tokens up to its own, or to the last `window` of
  /// these. With `bidirectional` it attends to the keys of all tokens, or of tokens fewer than `window` positions away.
  /// Queries without any such key are padding; `attendsEvenly` determines their rows.
  AttentionTraits attendTokens(Layers &layers, const TokenInputs &inputs, std::optional<int64_t> window = {});

  /// If true, a query without a key attends to all keys evenly, also to later ones, because all scores have the same
  /// lowest value (transformers' own attention). If false, its row is zeros (torch's scaled_dot_product_attention,
  /// which transformers uses for every family that supports it).
  bool attendsEvenly = false;
  std::optional<double> logitCap; // logits are cap x tanh(logit / cap)
  /// The values of `tie_word_embeddings` and `pad_token_id` if the fields are missing.
  bool tiedByDefault = false;
  std::optional<int64_t> paddingByDefault;
  const char *tokenClassifier = "score";

private:
  /// Takes the row that classifies a sequence: the row of its last token that is not padding.
  mlir::Value takeLast(Layers &layers, mlir::Value ids, mlir::Value hidden);

  const char *prefix, *embedding;
  Head head = Head::None;
  HeadLayers last;
  int64_t padding = 0; // the token that is padding
};

/// A decoder with rotary position embeddings.
class RotaryDecoder : public Decoder {
public:
  void checkLengths(Config &config, int64_t low, int64_t high) override;
  void checkCapacity(Config &config, int64_t maximum) override;
  int64_t maxCapacity() const override;

protected:
  using Decoder::Decoder;

  /// Reads the fields of rotary embeddings for heads of `headSize` elements. `maxPositions` is the default of
  /// `max_position_embeddings`.
  void readRotary(Config &config, int64_t headSize, int64_t maxPositions, const Rotary::Fields &fields);

  Rotary rotary;
};

/// Returns the window of each layer, or nothing for layers that attend to all tokens. Reads `layer_types`; if it is
/// missing, `isSliding` says which layers have the window.
llvm::SmallVector<std::optional<int64_t>> readWindows(Config &config, int64_t layers, std::optional<int64_t> window,
                                                      llvm::function_ref<bool(int64_t)> isSliding);

/// Refuses fields that transformers does not read but other implementations of these models do, unless they are false
/// or 1, which changes nothing there.
void refuseUnlessPlain(Config &config, llvm::ArrayRef<llvm::StringRef> flags,
                       llvm::ArrayRef<llvm::StringRef> sizes = {});

/// Reads a size, or nothing for null; `fallback` if the field is missing.
std::optional<int64_t> readOptional(Config &config, llvm::StringRef field, std::optional<int64_t> fallback);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_DECODER_H
