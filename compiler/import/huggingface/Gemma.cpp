//===- Gemma.cpp - gemma and gemma2 ---------------------------------------===//

#include "Activations.h"
#include "Families.h"
#include "PreNormDecoder.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {
struct GemmaLike : PreNormDecoder {
  void readCommon(Config &config, int64_t keyHeads, const char *activationField) {
    Defaults defaults;
    defaults.keyHeads = keyHeads;
    defaults.headSize = 256;
    defaults.positions = 8192;
    defaults.activation = "gelu_pytorch_tanh";
    defaults.activationField = activationField;
    tiedByDefault = true;
    paddingByDefault = 0;
    readLayers(config, defaults, {});
    queryBias = outputBias = config.flag("attention_bias");
    scaleFromOne = true;
    embeddingScale = float(std::sqrt(double(hidden)));
    if (config.has("use_bidirectional_attention") && config.flag("use_bidirectional_attention"))
      config.refuse("use_bidirectional_attention") << "attention to tokens behind is not supported";
  }
};

struct Gemma : GemmaLike {
  void readModel(Config &config) override {
    readCommon(config, /*keyHeads=*/16, "hidden_act");
    // What released models call gelu is meant to be its approximation.
    if (config.string("hidden_act", "") == "gelu")
      activation = Activation::GeluTanh;
    if (config.has("hidden_activation") && readActivation(config, "hidden_activation", "") != activation)
      config.refuse("hidden_activation") << "expected that of hidden_act";
  }
};

struct Gemma2 : GemmaLike {
  void readModel(Config &config) override {
    readCommon(config, /*keyHeads=*/4, "hidden_activation");
    config.ignore({"hidden_act"}); // older files have both
    normsBehind = true;
    attendsEvenly = true; // torch's attention has no soft cap
    scoreScale = 1 / std::sqrt(double(config.sizeOr("query_pre_attn_scalar", 256)));
    scoreCap = readCap(config, "attn_logit_softcapping", 50);
    logitCap = readCap(config, "final_logit_softcapping", 30);
    std::optional<int64_t> window = readOptional(config, "sliding_window", 4096);
    windows = readWindows(config, layerCount, window, [](int64_t layer) { return layer % 2 == 0; });
  }

  /// A bound of a soft cap, or null for none.
  static std::optional<double> readCap(Config &config, StringRef field, double fallback) {
    if (!config.has(field) && !config.isMissing(field))
      return std::nullopt;
    double cap = config.number(field, fallback);
    if (cap <= 0)
      config.refuse(field) << "expected a number above 0";
    return cap;
  }
};
} // namespace

std::unique_ptr<Family> heddle::makeGemma() { return std::make_unique<Gemma>(); }
std::unique_ptr<Family> heddle::makeGemma2() { return std::make_unique<Gemma2>(); }
