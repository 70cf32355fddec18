//===- PreNormDecoder.h - decoders like llama -------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_PRENORMDECODER_H
#define HEDDLE_IMPORT_HUGGINGFACE_PRENORMDECODER_H

#include "Decoder.h"

namespace heddle {

/// The base class of llama and similar decoders: each layer consists of grouped-query attention with rotary embeddings
/// and a gated feed-forward block, and an rms_norm precedes each of these two parts. A family's `readModel` calls
/// `readLayers` and then sets the options in which the family differs from llama.
class PreNormDecoder : public RotaryDecoder {
public:
  PreNormDecoder() : RotaryDecoder("model.", "embed_tokens.weight") {}
  void checkLengths(Config &config, int64_t low, int64_t high) override;
  void checkCapacity(Config &config, int64_t maximum) override;
  int64_t maxCapacity() const override;
  mlir::Value build(Layers &layers, const TokenInputs &inputs) override;

protected:
  /// The family's defaults for fields that some config.json files do not contain, and the name of the activation's
  /// field.
  struct Defaults {
    int64_t keyHeads = 0; // 0: the number of heads
    int64_t headSize = 0; // 0: hidden_size / num_attention_heads
    int64_t positions = 2048;
    double epsilon = 1e-6;
    const char *activation = "silu", *activationField = "hidden_act";
  };
  /// Reads the fields that all families of this class have.
  void readLayers(Config &config, const Defaults &defaults, const Rotary::Fields &rotaryFields);

  // `keyHeads` is the number of heads of keys and values. Each of them is shared by heads / keyHeads heads of queries.
  int64_t intermediate = 0, layerCount = 0, heads = 0, keyHeads = 0, headSize = 0;
  double epsilon = 0;
  Activation activation = Activation::None;

  // Whether these linear layers have biases: query, key and value; the output of attention; the feed-forward block.
  bool queryBias = false, outputBias = false, feedForwardBias = false;
  bool headNorms = false;    // queries and keys are normalised (qwen3, gemma3)
  // Whether the checkpoint stores query, key and value as one weight, and gate and up as another (phi3).
  bool packed = false;
  bool scaleMinusOneStored = false; // a directory contains each norm's scale minus 1 (gemma)
  bool normsAfter = false; // the results of attention and feed-forward blocks are normalised, too (gemma2, gemma3)
  // The factors of embeddings and of attention scores, and the soft cap of scores: cap x tanh(score / cap).
  std::optional<double> embeddingScale, scoreScale, scoreCap;
  llvm::SmallVector<std::optional<int64_t>> windows; // for each layer, the argument `window` of attendTokens()
  // For each layer, whether the layer has no rotary embeddings. If the vector is empty, all layers have them.
  llvm::SmallVector<bool> noRotation;
  // The angles of layers with windows, if they differ from those of the other layers (gemma3).
  std::optional<Rotary> localRotary;

private:
  /// Builds the angles of a layer's rotary embeddings.
  using MakeRotation = llvm::function_ref<const Rotation &()>;

  // These functions build parts of a layer. `name` is the prefix of the names of a part's tensors, or the name of the
  // norm. `rotation` is null in layers without rotary embeddings.
  mlir::Value norm(Layers &layers, mlir::Value input, const std::string &name);
  mlir::Value attend(Layers &layers, mlir::Value input, const AttentionTraits &traits, const std::string &name,
                     MakeRotation rotation, mlir::Value residual);
  mlir::Value feedForward(Layers &layers, mlir::Value input, const std::string &name, mlir::Value residual);
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_PRENORMDECODER_H
