//===- RotaryEmbedding.cpp - the quoted operation rotary_embedding --------===//
//
// Builds a model with one heddle.rotary_embedding from words such as 'rotary_embedding b=2 h=4 s=128 d=64 r=32'
// (Operation.h). The first r of the d elements of each head are rotated, for b sequences, h heads and s positions.
//
//===----------------------------------------------------------------------===//

#include "Builders.h"

using namespace mlir;
using namespace heddle;

static NamedResults buildRotaryEmbedding(OperationBuilder &builder) {
  Knobs &knobs = builder.knobs;
  MainBuilder &main = builder.main;
  Dim b = knobs.anySize({StringRef("b")}, 1);
  int64_t h = knobs.size({StringRef("h"), StringRef("hq")}, 1);
  Dim s = knobs.anySize({StringRef("s"), StringRef("sq")});
  int64_t d = knobs.size("d");
  int64_t rotated = knobs.size("r", d, "d");
  bool interleaved = knobs.flag("interleaved", false);
  auto layout = static_cast<Layout>(knobs.choice("layout", {"bhsd", "bshd"}));
  if (rotated % 2 != 0 || rotated > d)
    knobs.refuse("r", "expected an even number of rotated elements, at most d");
  if (!builder.ready())
    return {};
  bool bhsd = layout == Layout::Bhsd;
  Value input = builder.input("input", {b, bhsd ? Dim(h) : s, bhsd ? s : Dim(h), d});
  Value cosine = builder.input("cosine", {s, rotated / 2});
  Value sine = builder.input("sine", {s, rotated / 2});
  auto op = RotaryEmbeddingOp::create(main, input.getType(), input, cosine, sine,
                                      interleaved ? main.getUnitAttr() : UnitAttr(),
                                      LayoutAttr::get(main.getContext(), layout));
  return {{"out", op.getResult()}};
}

void heddle::quoteRotaryEmbedding(QuotedOperations &operations) {
  operations["rotary_embedding"] = {"input, cosine, sine -> out", buildRotaryEmbedding};
}
