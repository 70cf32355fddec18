//===- Append.cpp - the quoted operation append ---------------------------===//
//
// Builds a model with one heddle.append from words such as 'append b=2 h=4 s=1 c=64 d=8' (Operation.h): s new rows of d
// elements are written into a state of c rows, for each of b sequences and h heads.
//
//===----------------------------------------------------------------------===//

#include "Builders.h"

using namespace mlir;
using namespace heddle;

static NamedResults buildAppend(OperationBuilder &builder) {
  Knobs &knobs = builder.knobs;
  MainBuilder &main = builder.main;
  Dim b = knobs.anySize({StringRef("b")}, 1);
  int64_t h = knobs.size({StringRef("h"), StringRef("hkv")}, 1);
  Dim s = knobs.anySize({StringRef("s")}, 1);
  Dim c = knobs.anySize({StringRef("c")});
  int64_t d = knobs.size("d");
  if (isLess(c, s).number() != 0)
    knobs.refuse("c", "expected at least s, the number of new rows, at every size");
  if (!builder.ready())
    return {};
  Value input = builder.input("new", {b, h, s, d});
  Value state = builder.input("state", {b, h, c, d});
  InputTraits traits;
  traits.range = {0, numberOf(c - s)};
  Value past = main.addInput("past", RankedTensorType::get(numberOf(b), main.getI64Type()), traits);
  auto op = AppendOp::create(main, input, state, past);
  return {{"out", op.getResult()}};
}

void heddle::quoteAppend(QuotedOperations &operations) {
  operations["append"] = {"new, state, past -> out", buildAppend};
}
