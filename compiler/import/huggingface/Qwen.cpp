//===- Qwen.cpp - qwen2 and qwen3 -----------------------------------------===//

#include "Families.h"
#include "PreNormDecoder.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Defaults and windows that qwen2 and qwen3 share.
struct Qwen : PreNormDecoder {
  static Defaults getDefaults() {
    Defaults defaults;
    defaults.keyHeads = 32;
    defaults.positions = 32768;
    return defaults;
  }

  /// Reads the windows. They require use_sliding_window. If the field layer_types is missing, all layers with the index
  /// max_window_layers or greater have a window.
  void readSlidingLayers(Config &config) {
    std::optional<int64_t> window = readOptional(config, "sliding_window", 4096);
    if (!config.flag("use_sliding_window"))
      window = std::nullopt;
    int64_t first = config.sizeOrNull("max_window_layers", 28, /*minimum=*/0);
    windows = readWindows(config, layerCount, window, [&](int64_t layer) { return window && layer >= first; });
  }
};

/// Qwen2 has biases of queries, keys and values.
struct Qwen2 : Qwen {
  void readModel(Config &config) override {
    readLayers(config, getDefaults(), {});
    queryBias = true;
    refuseUnlessPlain(config, {"use_mrope"});
    readSlidingLayers(config);
  }
};

/// Qwen3 normalises queries and keys.
struct Qwen3 : Qwen {
  void readModel(Config &config) override {
    Defaults defaults = getDefaults();
    defaults.headSize = 128;
    readLayers(config, defaults, {});
    queryBias = outputBias = config.flag("attention_bias");
    headNorms = true;
    readSlidingLayers(config);
  }
};
} // namespace

std::unique_ptr<Family> heddle::makeQwen2() { return std::make_unique<Qwen2>(); }
std::unique_ptr<Family> heddle::makeQwen3() { return std::make_unique<Qwen3>(); }
