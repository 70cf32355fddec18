//===- SmolLM3.cpp - smollm3 ----------------------------------------------===//

#include "Families.h"
#include "PreNormDecoder.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Some layers of smollm3 have no rotary embeddings. Unless the field layer_types exists, only these layers may have a
/// window.
struct SmolLM3 : PreNormDecoder {
  void readModel(Config &config) override;
};
} // namespace

void SmolLM3::readModel(Config &config) {
  Defaults defaults;
  defaults.keyHeads = 4;
  defaults.positions = 32768;
  tiedByDefault = true;
  paddingByDefault = 128004;
  Rotary::Fields fields;
  fields.theta = 2e6;
  readLayers(config, defaults, fields);
  queryBias = outputBias = config.flag("attention_bias");
  feedForwardBias = config.flag("mlp_bias");
  config.ignore({"max_window_layers"});

  int64_t interval = config.sizeOr("no_rope_layer_interval", 4);
  std::vector<double> rotates = config.numbers("no_rope_layers"); // 1 for layers with rotary embeddings
  if (rotates.empty())
    for (int64_t i = 0; i < layerCount; ++i)
      rotates.push_back((i + 1) % interval != 0);
  if (int64_t(rotates.size()) != layerCount)
    config.refuse("no_rope_layers") << "expected " << layerCount << " numbers, one for each layer, found "
                                    << rotates.size();
  for (double flag : rotates)
    noRotation.push_back(flag == 0);
  if (config.failed())
    return;
  std::optional<int64_t> window = readOptional(config, "sliding_window", std::nullopt);
  bool slides = config.flag("use_sliding_window") && window;
  windows = readWindows(config, layerCount, window, [&](int64_t layer) { return slides && noRotation[layer]; });
}

std::unique_ptr<Family> heddle::makeSmolLM3() { return std::make_unique<SmolLM3>(); }
