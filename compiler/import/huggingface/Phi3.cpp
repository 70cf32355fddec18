//===- Phi3.cpp - phi3 ----------------------------------------------------===//

#include "Families.h"
#include "PreNormDecoder.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Phi3 packs query, key and value into one weight, and gate and up into another. It may scale rotary embeddings with
/// the method longrope.
struct Phi3 : PreNormDecoder {
  void readModel(Config &config) override {
    Defaults defaults;
    defaults.positions = 4096;
    defaults.epsilon = 1e-5;
    Rotary::Fields fields;
    fields.partField = "partial_rotary_factor";
    fields.original = 4096;
    fields.onlyLongrope = true;
    readLayers(config, defaults, fields);
    packed = true;
    paddingByDefault = 32000;
    refuseUnlessPlain(config, {"attention_bias", "lm_head_bias", "mlp_bias"}, {"full_attn_mod", "interpolate_factor"});
    windows.assign(layerCount, readOptional(config, "sliding_window", std::nullopt));
  }
};
} // namespace

std::unique_ptr<Family> heddle::makePhi3() { return std::make_unique<Phi3>(); }
