//===- AttentionRegions.cpp - regions of the quoted attention -------------===//

#include "AttentionRegions.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

AttentionRegions AttentionRegions::read(Knobs &knobs) {
  AttentionRegions regions;
  regions.score = static_cast<Score>(knobs.choice("score", {"none", "alibi", "documents", "square"}));
  regions.probability =
      static_cast<Probability>(knobs.choice("probability", {"none", "square", "soft_threshold", "offset"}));
  return regions;
}

SmallVector<Value> AttentionRegions::addReads(OperationBuilder &builder, const Dim &batch, int64_t heads,
                                              const Dim &queries, const Dim &keys) const {
  if (score == Alibi)
    return {builder.input("slopes", {heads, 1, 1})};
  if (score != Documents)
    return {};
  InputTraits traits;
  traits.range = {0, 2};
  auto type = [&](ArrayRef<Dim> shape) { return RankedTensorType::get(numbersOf(shape), builder.main.getI64Type()); };
  Value ofQueries = builder.main.addInput("query_documents", type({batch, 1, queries, 1}), traits);
  Value ofKeys = builder.main.addInput("key_documents", type({batch, 1, 1, keys}), traits);
  return {ofQueries, ofKeys};
}

/// Emits the changed score: for Alibi, score + slope * (key - query); for Documents, -inf for keys of other documents;
/// for Square, the square of the score. `arguments` are the score, the indices of batch, head, query and key, and the
/// elements of the inputs that `addReads` has added.
static Value changeScore(MainBuilder &b, AttentionRegions::Score kind, ValueRange arguments) {
  Value score = arguments[0], query = arguments[3], key = arguments[4];
  Type type = score.getType();
  switch (kind) {
  case AttentionRegions::Plain:
    break;
  case AttentionRegions::Alibi: {
    Value distance = arith::IndexCastOp::create(b, b.getI32Type(), arith::SubIOp::create(b, key, query));
    Value slope = arguments[5];
    if (slope.getType() != type)
      slope = arith::ExtFOp::create(b, type, slope);
    Value bias = arith::MulFOp::create(b, slope, arith::SIToFPOp::create(b, type, distance));
    return arith::AddFOp::create(b, score, bias);
  }
  case AttentionRegions::Documents: {
    Value same = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, arguments[5], arguments[6]);
    Value removed = arith::ConstantOp::create(b, b.getFloatAttr(type, -INFINITY));
    return arith::SelectOp::create(b, same, score, removed);
  }
  case AttentionRegions::Square:
    return arith::MulFOp::create(b, score, score);
  }
  return score;
}

/// Emits the changed probability p: p * p, max(p - 1/64, 0), or p + 1/64. With p + 1/64, even the probabilities of
/// removed keys become 1/64.
static Value changeWeight(MainBuilder &b, AttentionRegions::Probability kind, Value weight) {
  auto number = [&](double value) { return arith::ConstantOp::create(b, b.getFloatAttr(weight.getType(), value)); };
  switch (kind) {
  case AttentionRegions::Same:
    break;
  case AttentionRegions::Squared:
    return arith::MulFOp::create(b, weight, weight);
  case AttentionRegions::SoftThreshold:
    return arith::MaximumFOp::create(b, arith::SubFOp::create(b, weight, number(1.0 / 64)), number(0.0));
  case AttentionRegions::Offset:
    return arith::AddFOp::create(b, weight, number(1.0 / 64));
  }
  return weight;
}

void AttentionRegions::build(MainBuilder &b, AttentionOp op) const {
  auto fill = [&](Region &region, function_ref<Value(ValueRange)> change) {
    SmallVector<Type> types = op.getRegionTypes();
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&region, region.end(), types, SmallVector<Location>(types.size(), op.getLoc()));
    YieldOp::create(b, change(body->getArguments()));
  };
  if (score != Plain)
    fill(op.getScore(), [&](ValueRange arguments) { return changeScore(b, score, arguments); });
  if (probability != Same)
    fill(op.getProbability(), [&](ValueRange arguments) { return changeWeight(b, probability, arguments[0]); });
}
