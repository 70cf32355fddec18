//===- Gemma.cpp - gemma, gemma2 and gemma3 -------------------------------===//

#include "Activations.h"
#include "Families.h"
#include "PreNormDecoder.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {
/// Differences from llama that all versions of gemma share.
struct GemmaLike : PreNormDecoder {
  /// Reads the fields that all versions have. `keyHeads` and `positions` are the defaults of num_key_value_heads and
  /// max_position_embeddings.
  void readCommon(Config &config, int64_t keyHeads, const char *activationField, int64_t positions = 8192,
                  const Rotary::Fields &rotaryFields = {}) {
    Defaults defaults;
    defaults.keyHeads = keyHeads;
    defaults.headSize = 256;
    defaults.positions = positions;
    defaults.activation = "gelu_pytorch_tanh";
    defaults.activationField = activationField;
    tiedByDefault = true;
    paddingByDefault = 0;
    readLayers(config, defaults, rotaryFields);
    queryBias = outputBias = config.flag("attention_bias");
    scaleMinusOneStored = true;
    embeddingScale = float(std::sqrt(double(hidden)));
  }

  static bool isBidirectional(Config &config) {
    return config.has("use_bidirectional_attention") && config.flag("use_bidirectional_attention");
  }

  /// Refuses attention to later tokens for gemma and gemma2. In these families, transformers applies
  /// use_bidirectional_attention only if a batch contains no padding.
  static void refuseBidirectional(Config &config) {
    if (isBidirectional(config))
      config.refuse("use_bidirectional_attention") << "attention to later tokens is not supported";
  }

  /// Reads the number `cap` of a soft cap, cap x tanh(score / cap). Returns nothing if the field is null, or if it is
  /// missing and there is no `fallback`.
  static std::optional<double> readCap(Config &config, StringRef field, std::optional<double> fallback) {
    if (!config.has(field) && !(config.isMissing(field) && fallback))
      return std::nullopt;
    double cap = config.number(field, fallback.value_or(0));
    if (cap <= 0)
      config.refuse(field) << "expected a number above 0";
    return cap;
  }

  /// Reads the field that determines the factor of attention scores.
  void readScoreScale(Config &config) {
    scoreScale = 1 / std::sqrt(double(config.sizeOr("query_pre_attn_scalar", 256)));
  }
};

/// The first version of gemma.
struct Gemma : GemmaLike {
  void readModel(Config &config) override {
    readCommon(config, /*keyHeads=*/16, "hidden_act");
    refuseBidirectional(config);
    // Released models name this activation gelu, but they were trained with its tanh approximation.
    if (config.string("hidden_act", "") == "gelu")
      activation = Activation::GeluTanh;
    if (config.has("hidden_activation") && readActivation(config, "hidden_activation", "") != activation)
      config.refuse("hidden_activation") << "expected the same activation as in hidden_act";
  }
};

/// Gemma2 adds soft caps, norms after attention and after feed-forward blocks, and windows in every second layer.
struct Gemma2 : GemmaLike {
  void readModel(Config &config) override {
    readCommon(config, /*keyHeads=*/4, "hidden_activation");
    config.ignore({"hidden_act"}); // older files have both fields
    refuseBidirectional(config);
    normsAfter = true;
    // torch's attention has no soft cap, so transformers uses its own implementation. In that implementation, a query
    // without any key to attend to attends evenly to all keys.
    attendsEvenly = true;
    readScoreScale(config);
    scoreCap = readCap(config, "attn_logit_softcapping", 50);
    logitCap = readCap(config, "final_logit_softcapping", 30);
    std::optional<int64_t> window = readOptional(config, "sliding_window", 4096);
    windows = readWindows(config, layerCount, window, [](int64_t layer) { return layer % 2 == 0; });
  }
};

/// Gemma3 has the norms of gemma2. It also normalises queries and keys, has windows in five of six layers by default,
/// and has different rotary embeddings in these layers.
struct Gemma3 : GemmaLike {
  void readModel(Config &config) override {
    Rotary::Fields fields;
    fields.theta = 1e6;
    fields.parameters = "full_attention";
    readCommon(config, /*keyHeads=*/4, "hidden_activation", /*positions=*/131072, fields);
    normsAfter = headNorms = true;
    readScoreScale(config);
    logitCap = readCap(config, "final_logit_softcapping", std::nullopt);
    config.ignore({"_sliding_window_pattern"}); // transformers has already computed layer_types from this field
    if (config.has("attn_logit_softcapping"))
      config.refuse("attn_logit_softcapping") << "only null is supported: transformers does not cap these scores";
    bidirectional = isBidirectional(config);
    std::optional<int64_t> window = readOptional(config, "sliding_window", 4096, /*minimum=*/bidirectional ? 0 : 1);
    if (bidirectional && window) // sliding_window is the number of other tokens on both sides together
      window = *window / 2 + 1;
    int64_t interval = config.sizeOr("sliding_window_pattern", 6);
    windows = readWindows(config, layerCount, window, [&](int64_t layer) { return (layer + 1) % interval != 0; });
    Rotary::Fields local; // layers with a window have different angles
    local.thetaField = "rope_local_base_freq";
    local.parameters = "sliding_attention";
    local.ignoresScaling = true;
    localRotary.emplace();
    localRotary->read(config, headSize, capacity, local);
  }
};
} // namespace

std::unique_ptr<Family> heddle::makeGemma() { return std::make_unique<Gemma>(); }
std::unique_ptr<Family> heddle::makeGemma2() { return std::make_unique<Gemma2>(); }
std::unique_ptr<Family> heddle::makeGemma3() { return std::make_unique<Gemma3>(); }
