//===- LinearAttention.cpp - the quoted operation linear_attention --------===//
//
// Builds a model with one heddle.linear_attention from words such as 'linear_attention b=2 h=4 s=128 d=64'
// (Operation.h). Each of b sequences has sq (or s) queries and skv (by default sq) keys, with h heads of d elements (dv
// elements for values).
//
//===----------------------------------------------------------------------===//

#include "Builders.h"

using namespace mlir;
using namespace heddle;

static NamedResults buildLinearAttention(OperationBuilder &builder) {
  Knobs &knobs = builder.knobs;
  MainBuilder &main = builder.main;
  Dim b = knobs.anySize({StringRef("b")}, 1);
  int64_t h = knobs.size({StringRef("h"), StringRef("hq")}, 1);
  Dim sq = knobs.anySize({StringRef("sq"), StringRef("s")}), skv = knobs.anySize({StringRef("skv")}, sq, "sq");
  int64_t d = knobs.size("d"), dv = knobs.size("dv", d, "d");
  double scale = knobs.number("scale", 1.0, {"0.3"});
  auto map = static_cast<FeatureMap>(
      knobs.choice("feature_map", {"identity", "elu_plus_one"}, static_cast<unsigned>(FeatureMap::EluPlusOne)));
  bool normalized = knobs.flag("normalized", false);
  // If features may be both positive and negative, their sum may be close to 0, and a division by this sum amplifies
  // any error.
  if (normalized && map == FeatureMap::Identity)
    knobs.noteIllConditioned();
  if (!builder.ready())
    return {};
  Value query = builder.input("q", {b, h, sq, d});
  Value key = builder.input("k", {b, h, skv, d});
  Value value = builder.input("v", {b, h, skv, dv});
  auto op = LinearAttentionOp::create(main, builder.tensor({b, h, sq, dv}), query, key, value,
                                      main.getF64FloatAttr(scale), FeatureMapAttr::get(main.getContext(), map),
                                      normalized ? main.getUnitAttr() : UnitAttr());
  return {{"out", op.getResult()}};
}

void heddle::quoteLinearAttention(QuotedOperations &operations) {
  operations["linear_attention"] = {"q, k, v -> out", buildLinearAttention};
}
