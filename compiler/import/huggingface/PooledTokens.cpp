//===- PooledTokens.cpp - pooling of tokens -------------------------------===//

#include "PooledTokens.h"

#include "Tensors.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

static Value atLeast(ImplicitLocOpBuilder &builder, Value value, double bound) {
  return arith::MaximumFOp::create(builder, value, splat(builder, getType(value), bound));
}

static Value divideRows(ImplicitLocOpBuilder &builder, Value rows, Value divisors) {
  return arith::DivFOp::create(builder, rows, broadcast(builder, divisors, getType(rows), {1}));
}

Value heddle::normalizeRows(ImplicitLocOpBuilder &builder, Value rows) {
  Value squares = arith::MulFOp::create(builder, rows, rows);
  Value length = math::SqrtOp::create(builder, reduce(builder, squares, 1));
  return divideRows(builder, rows, atLeast(builder, length, 1e-12));
}

/// Converts the mask to weights of a mean, in the element type of `hidden`: 1 for tokens and 0 for padding.
static Value toWeights(ImplicitLocOpBuilder &builder, Value hidden, Value mask) {
  return arith::UIToFPOp::create(builder, getType(mask).clone(getType(hidden).getElementType()), mask);
}

/// Returns the sum of `hidden` weighted by `weights` [batch, sequence], and the sum of the weights. The latter is at
/// least 1e-9, as in sentence-transformers, so that it can be a divisor.
static std::pair<Value, Value> sumUp(ImplicitLocOpBuilder &builder, Value hidden, Value weights) {
  Value weighted = arith::MulFOp::create(builder, hidden, broadcast(builder, weights, getType(hidden), {2}));
  return {reduce(builder, weighted, 1), atLeast(builder, reduce(builder, weights, 1), 1e-9)};
}

Value heddle::meanOfTokens(ImplicitLocOpBuilder &builder, Value hidden, Value mask) {
  auto [sum, count] = sumUp(builder, hidden, toWeights(builder, hidden, mask));
  return divideRows(builder, sum, count);
}

Value heddle::meanByRootOfTokens(ImplicitLocOpBuilder &builder, Value hidden, Value mask) {
  auto [sum, count] = sumUp(builder, hidden, toWeights(builder, hidden, mask));
  return divideRows(builder, sum, math::SqrtOp::create(builder, count));
}

Value heddle::maximumOfTokens(ImplicitLocOpBuilder &builder, Value hidden, Value mask) {
  Value flags = broadcast(builder, mask, getType(hidden).clone(builder.getI1Type()), {2});
  double none = -std::numeric_limits<double>::infinity();
  Value kept = arith::SelectOp::create(builder, flags, hidden, splat(builder, getType(hidden), none));
  return reduce(builder, kept, 1, /*maximum=*/true);
}

/// Returns the position [batch] of the first token of each sequence, or of the last token if `last` is true; `none` if
/// a sequence has no token. `none` must be greater than all positions, or less than all positions if `last` is true.
static Value findToken(ImplicitLocOpBuilder &builder, Value mask, bool last, int64_t none) {
  MLIRContext *context = builder.getContext();
  auto type = RankedTensorType::get({getType(mask).getDimSize(0)}, builder.getI64Type());
  Value start = splat(builder, type, none);
  AffineMap rows = AffineMap::get(2, 0, builder.getAffineDimExpr(0), context);
  auto place = linalg::GenericOp::create(
      builder, TypeRange{type}, ValueRange{mask}, ValueRange{start},
      ArrayRef<AffineMap>{builder.getMultiDimIdentityMap(2), rows},
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel, utils::IteratorType::reduction},
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value index = linalg::IndexOp::create(nested, loc, 1);
        Value here = arith::IndexCastOp::create(nested, loc, nested.getI64Type(), index);
        Value better = last ? arith::MaxSIOp::create(nested, loc, here, arguments[1]).getResult()
                            : arith::MinSIOp::create(nested, loc, here, arguments[1]).getResult();
        Value found = arith::SelectOp::create(nested, loc, arguments[0], better, arguments[1]);
        linalg::YieldOp::create(nested, loc, found);
      });
  return place.getResult(0);
}

/// A position that is greater than the length of any sequence.
static constexpr int64_t nowhere = int64_t(1) << 40;

Value heddle::firstPlace(ImplicitLocOpBuilder &builder, Value mask) {
  Value place = findToken(builder, mask, /*last=*/false, nowhere);
  Value none = splat(builder, getType(place), nowhere), zero = splat(builder, getType(place), 0);
  Value isNone = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, place, none);
  return arith::SelectOp::create(builder, isNone, zero, place);
}

Value heddle::takePlaces(ImplicitLocOpBuilder &builder, Value hidden, Value places) {
  auto type = getType(hidden).clone({getType(hidden).getDimSize(0), getType(hidden).getDimSize(2)});
  AffineMap all = builder.getMultiDimIdentityMap(2);
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(builder, type.getShape(), type.getElementType());
  auto rows = linalg::GenericOp::create(
      builder, TypeRange{type}, ValueRange{places}, ValueRange{empty},
      ArrayRef<AffineMap>{all.getMajorSubMap(1), all}, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value entry = linalg::IndexOp::create(nested, loc, 0), column = linalg::IndexOp::create(nested, loc, 1);
        Value place = arith::IndexCastOp::create(nested, loc, nested.getIndexType(), arguments[0]);
        Value element = tensor::ExtractOp::create(nested, loc, hidden, ValueRange{entry, place, column});
        linalg::YieldOp::create(nested, loc, element);
      });
  return rows.getResult(0);
}

Value heddle::firstOfTokens(ImplicitLocOpBuilder &builder, Value hidden, Value mask) {
  return takePlaces(builder, hidden, firstPlace(builder, mask));
}

Value heddle::lastOfTokens(ImplicitLocOpBuilder &builder, Value hidden, Value mask) {
  Value place = findToken(builder, mask, /*last=*/true, -1);
  Value zero = splat(builder, getType(place), 0);
  Value isThere = arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, place, zero);
  Value row = takePlaces(builder, hidden, arith::MaxSIOp::create(builder, place, zero));
  Value flags = broadcast(builder, isThere, getType(row).clone(builder.getI1Type()), {1});
  return arith::SelectOp::create(builder, flags, row, splat(builder, getType(row), 0));
}

Value heddle::weightedMeanOfTokens(ImplicitLocOpBuilder &builder, Value hidden, Value mask) {
  auto type = getType(mask).clone(getType(hidden).getElementType());
  AffineMap all = builder.getMultiDimIdentityMap(2);
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(builder, type.getShape(), type.getElementType());
  auto weights = linalg::GenericOp::create(
      builder, TypeRange{type}, ValueRange{firstPlace(builder, mask), mask}, ValueRange{empty},
      ArrayRef<AffineMap>{all.getMajorSubMap(1), all, all}, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value index = linalg::IndexOp::create(nested, loc, 1);
        Value here = arith::IndexCastOp::create(nested, loc, nested.getI64Type(), index);
        Value one = arith::ConstantOp::create(nested, loc, nested.getI64IntegerAttr(1));
        Value behind = arith::SubIOp::create(nested, loc, here, arguments[0]);
        Value weight = arith::AddIOp::create(nested, loc, behind, one);
        Value zero = arith::ConstantOp::create(nested, loc, nested.getI64IntegerAttr(0));
        weight = arith::SelectOp::create(nested, loc, arguments[1], weight, zero);
        Value number = arith::SIToFPOp::create(nested, loc, type.getElementType(), weight);
        linalg::YieldOp::create(nested, loc, number);
      });
  auto [sum, count] = sumUp(builder, hidden, weights.getResult(0));
  return divideRows(builder, sum, count);
}
