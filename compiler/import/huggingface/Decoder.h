//===- Decoder.h - the base class of decoders -------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_DECODER_H
#define HEDDLE_IMPORT_HUGGINGFACE_DECODER_H

#include "Family.h"
#include "Heads.h"
#include "Rotary.h"

namespace heddle {

/// A decoder. Each token attends to itself and to the tokens before it. These are tokens of the same call and, if there
/// is a state, tokens of earlier calls (the past). The head predicts the next token or classifies tokens or sequences.
class Decoder : public Family {
public:
  void read(Config &config, Head head) final;
  NamedValues buildHead(Layers &layers, const TokenInputs &inputs, mlir::Value hidden) override;

protected:
  /// `embedding` is the name of the token embedding's weight. In the checkpoint of a model with a head, `prefix`
  /// precedes this name.
  Decoder(const char *prefix, const char *embedding) : prefix(prefix), embedding(embedding) {}

  /// Reads all fields except those of the head.
  virtual void readModel(Config &config) = 0;

  /// Returns the token embeddings of `ids`.
  mlir::Value embed(Layers &layers, mlir::Value ids);

  /// Returns the options of attention in which a query attends to the keys of its own token and of earlier tokens. With
  /// `window`, it attends to at most `window` keys in total. If `bidirectional` is true, a query attends to the keys of
  /// all tokens or, with a window, to the tokens fewer than `window` positions away. If a query has no key to attend
  /// to, it belongs to padding, and `attendsEvenly` determines its result.
  AttentionTraits attendTokens(Layers &layers, const TokenInputs &inputs, std::optional<int64_t> window = {});

  /// Whether a query that has no key to attend to attends evenly to all keys, including later ones. transformers' own
  /// attention does this, because it gives all masked scores the same lowest value. If false, the result of the query
  /// is a row of zeros, as in torch's scaled_dot_product_attention, which transformers uses for every family that
  /// supports it.
  bool attendsEvenly = false;
  std::optional<double> logitCap; // if set, logits are cap x tanh(logit / cap)
  /// The defaults of the fields `tie_word_embeddings` and `pad_token_id`.
  bool tiedByDefault = false;
  std::optional<int64_t> paddingByDefault;
  /// The name of the last linear layer if the model classifies tokens.
  const char *tokenClassifier = "score";

private:
  /// Returns, for each sequence, the row of `hidden` from which the sequence is classified: the row of its last token
  /// that is not padding, or of its first token if the sequence consists of padding only.
  mlir::Value takeLast(Layers &layers, mlir::Value ids, mlir::Value hidden);

  const char *prefix, *embedding; // the arguments of the constructor
  Head head = Head::None;
  HeadLayers last;     // the layers of the head
  int64_t padding = 0; // the id of the padding token
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

/// Returns, for each layer, `window`, or nothing if the layer attends to all tokens. Reads the field `layer_types`. If
/// this field is missing, null or empty, the layers for which `isSliding` returns true have the window.
llvm::SmallVector<std::optional<int64_t>> readWindows(Config &config, int64_t layers, std::optional<int64_t> window,
                                                      llvm::function_ref<bool(int64_t)> isSliding);

/// Checks fields that transformers does not read but that other implementations of these models read. Emits an error
/// for a field in `flags` unless it is missing or false, and for a field in `sizes` unless it is missing or 1: these
/// values have no effect in the other implementations.
void refuseUnlessPlain(Config &config, llvm::ArrayRef<llvm::StringRef> flags,
                       llvm::ArrayRef<llvm::StringRef> sizes = {});

/// Reads a size of at least `minimum`. Returns nothing if the field is null, and `fallback` if the field is missing.
std::optional<int64_t> readOptional(Config &config, llvm::StringRef field, std::optional<int64_t> fallback,
                                    int64_t minimum = 1);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_DECODER_H
