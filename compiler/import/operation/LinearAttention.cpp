//===- LinearAttention.cpp - quoted linear_attention ----------------------===//

#include "Builders.h"

using namespace mlir;
using namespace heddle;

NamedResults heddle::buildLinearAttention(OperationBuilder &builder) {
  Knobs &knobs = builder.knobs;
  MainBuilder &main = builder.main;
  Dim b = knobs.anySize({StringRef("b")}, 1);
  int64_t h = knobs.size({StringRef("h"), StringRef("hq")}, 1);
  Dim sq = knobs.anySize({StringRef("sq"), StringRef("s")}), skv = knobs.anySize({StringRef("skv")}, sq, "sq");
  int64_t d = knobs.size("d"), dv = knobs.size("dv", d, "d");
  double scale = knobs.number("scale", 1.0);
  auto map = static_cast<FeatureMap>(
      knobs.choice("feature_map", {"identity", "elu_plus_one"}, static_cast<unsigned>(FeatureMap::EluPlusOne)));
  bool normalized = knobs.flag("normalized", false);
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
