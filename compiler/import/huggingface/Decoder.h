//===- Decoder.h - what families of decoders have in common -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_DECODER_H
#define HEDDLE_IMPORT_HUGGINGFACE_DECODER_H

#include "Family.h"
#include "Heads.h"
#include "Rotary.h"

namespace heddle {

/// A decoder: each token attends to those before it, in this call and in a past if there is one, and the head tells
/// the next one.
class Decoder : public Family {
public:
  void read(Config &config, Head head) final;
  NamedValues buildHead(Layers &layers, const TokenInputs &inputs, mlir::Value hidden) override;

protected:
  /// `embedding`: the name of the token embedding's weight; `prefix` and it are its name in a model with a head.
  Decoder(const char *prefix, const char *embedding) : prefix(prefix), embedding(embedding) {}

  /// All but the head's.
  virtual void readModel(Config &config) = 0;

  mlir::Value embed(Layers &layers, mlir::Value ids);

  /// What keys a query attends to: those of tokens up to its own, and of these the last `window`. A query
  /// without any is one of padding before the first token; what its row is, says `attendsEvenly`.
  AttentionTraits attendBefore(Layers &layers, const TokenInputs &inputs, std::optional<int64_t> window = {});

  /// A query without a key attends to all keys evenly, those behind it included, as the lowest score in the place of
  /// all makes it (transformers' own attention). Else its row is zeros (torch's scaled_dot_product_attention, which
  /// transformers takes for every family that it can).
  bool attendsEvenly = false;
  std::optional<double> logitCap; // logits are cap x tanh(logit / cap)
  /// What `tie_word_embeddings` and `pad_token_id` are if they are missing.
  bool tiedByDefault = false;
  std::optional<int64_t> paddingByDefault;
  const char *tokenClassifier = "score";

private:
  /// What is classified of a sequence: its last token that is not one of padding.
  mlir::Value takeLast(Layers &layers, mlir::Value ids, mlir::Value hidden);

  const char *prefix, *embedding;
  Head head = Head::None;
  HeadLayers last;
  int64_t padding = 0; // a token
};

/// A decoder whose positions are rotary embeddings.
class RotaryDecoder : public Decoder {
public:
  void checkLengths(Config &config, int64_t low, int64_t high) override;
  void checkCapacity(Config &config, int64_t most) override;
  int64_t mostCapacity() const override;

protected:
  using Decoder::Decoder;

  /// Of heads of `headSize` elements; `maxPositions` is what `max_position_embeddings` is where it is missing.
  void readRotary(Config &config, int64_t headSize, int64_t maxPositions, const Rotary::Fields &fields);

  Rotary rotary;
};

/// Whether each layer attends to a window of tokens: `layer_types`, or what the family makes of its
/// absence. None for those that attend to all.
llvm::SmallVector<std::optional<int64_t>> readWindows(Config &config, int64_t layers, std::optional<int64_t> window,
                                                      llvm::function_ref<bool(int64_t)> isSliding);

/// Refuses fields that transformers does not look at, but other code for these models does, unless they are false or 1
/// and so change nothing there.
void refuseUnlessPlain(Config &config, llvm::ArrayRef<llvm::StringRef> flags,
                       llvm::ArrayRef<llvm::StringRef> sizes = {});

/// A field that is a size, or null for none; `fallback` if it is missing.
std::optional<int64_t> readOptional(Config &config, llvm::StringRef field, std::optional<int64_t> fallback);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_DECODER_H
