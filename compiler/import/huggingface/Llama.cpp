//===- Llama.cpp - llama and mistral --------------------------------------===//

#include "Families.h"
#include "PreNormDecoder.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The options of PreNormDecoder are those of llama unless a family changes them.
struct Llama : PreNormDecoder {
  void readModel(Config &config) override {
    readLayers(config, {}, {});
    queryBias = outputBias = config.flag("attention_bias");
    feedForwardBias = config.flag("mlp_bias");
    config.ignore({"is_llama_config", "max_sequence_length"});
    refuseUnlessPlain(config, {"rope_interleaved"});
  }
};

/// All layers of mistral attend to a window of tokens, unless sliding_window is null.
struct Mistral : PreNormDecoder {
  void readModel(Config &config) override {
    Defaults defaults;
    defaults.keyHeads = 8;
    defaults.positions = 131072;
    readLayers(config, defaults, {});
    windows.assign(layerCount, readOptional(config, "sliding_window", 4096));
  }
};
} // namespace

std::unique_ptr<Family> heddle::makeLlama() { return std::make_unique<Llama>(); }
std::unique_ptr<Family> heddle::makeMistral() { return std::make_unique<Mistral>(); }
