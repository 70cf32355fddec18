//===- ActiveFlags.cpp - activity masks as tensors ------------------------===//

#include "ActiveFlags.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Emits the body of a linalg.generic, given the elements of its inputs and of its output, and returns the result.
using Body = function_ref<Value(OpBuilder &, ValueRange)>;

/// Emits a linalg.generic whose loops are the dimensions of the first input. The result has the first `rank` of these
/// dimensions and elements of type `element`. `body` reduces along the remaining dimensions, and `start` is the initial
/// value of the reduction. If `start` is null, there is no reduction. An input of lower rank is broadcast along the
/// last dimensions.
static Value emitLoops(OpBuilder &b, Location loc, ValueRange inputs, unsigned rank, Type element, TypedAttr start,
                       Body body) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(inputs[0].getType()).getShape();
  auto leading = [&](unsigned count) { return b.getMultiDimIdentityMap(shape.size()).getMajorSubMap(count); };
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(leading(cast<RankedTensorType>(input.getType()).getRank()));
  maps.push_back(leading(rank));
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), rank, utils::IteratorType::parallel);
  Value output = tensor::EmptyOp::create(b, loc, shape.take_front(rank), element);
  if (start)
    output = linalg::FillOp::create(b, loc, Value(arith::ConstantOp::create(b, loc, start)), output).getResult(0);
  return linalg::GenericOp::create(b, loc, output.getType(), inputs, output, maps, iterators,
                                   [&](OpBuilder &inner, Location, ValueRange args) {
                                     linalg::YieldOp::create(inner, loc, body(inner, args));
                                   })
      .getResult(0);
}

Value heddle::emitFlags(OpBuilder &b, Location loc, Value integers) {
  auto type = cast<RankedTensorType>(integers.getType());
  Value flags = integers;
  if (!type.getElementType().isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type.getElementType(), 0));
    flags = emitLoops(b, loc, integers, type.getRank(), b.getI1Type(), {}, [&](OpBuilder &inner, ValueRange args) {
      return arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ne, args[0], zero);
    });
  }
  if (type.getRank() == 2)
    return flags;
  SmallVector<ReassociationIndices> groups(2);
  llvm::append_range(groups[0], llvm::seq<int64_t>(0, type.getRank() - 1));
  groups[1].push_back(type.getRank() - 1);
  return tensor::CollapseShapeOp::create(b, loc, flags, groups);
}

/// Returns, for each batch entry, whether any of its positions is active.
static Value emitAny(OpBuilder &b, Location loc, Value flags) {
  return emitLoops(b, loc, flags, 1, b.getI1Type(), b.getBoolAttr(false), [&](OpBuilder &inner, ValueRange args) {
    return arith::OrIOp::create(inner, loc, args[0], args[1]);
  });
}

/// Returns `flags` with all positions set to true in each batch entry for which at least one condition is false.
static Value emitWholeUnless(OpBuilder &b, Location loc, Value flags, ArrayRef<Value> conditions) {
  SmallVector<Value> inputs = {flags};
  llvm::append_range(inputs, conditions);
  return emitLoops(b, loc, inputs, 2, b.getI1Type(), {}, [&](OpBuilder &inner, ValueRange args) {
    Value result = args[0], yes = arith::ConstantOp::create(inner, loc, inner.getBoolAttr(true));
    for (Value condition : args.drop_front().drop_back()) {
      Value fails = arith::XOrIOp::create(inner, loc, condition, yes);
      result = arith::OrIOp::create(inner, loc, result, fails);
    }
    return result;
  });
}

/// Returns the largest magnitude of the elements of each batch entry; NaN if the entry contains a NaN.
static Value emitLargest(OpBuilder &b, Location loc, Value heads) {
  Type element = getElementTypeOrSelf(heads.getType());
  return emitLoops(b, loc, heads, 1, element, b.getFloatAttr(element, 0.0), [&](OpBuilder &inner, ValueRange args) {
    return arith::MaximumFOp::create(inner, loc, math::AbsFOp::create(inner, loc, args[0]), args[1]);
  });
}

/// Returns, for each batch entry, whether all its elements have magnitudes less than 2^20. What layers compute from
/// such elements is assumed not to overflow.
static Value emitValid(OpBuilder &b, Location loc, Value input) {
  Type element = getElementTypeOrSelf(input.getType());
  return emitLoops(b, loc, emitLargest(b, loc, input), 1, b.getI1Type(), {}, [&](OpBuilder &inner, ValueRange args) {
    Value limit = arith::ConstantOp::create(inner, loc, inner.getFloatAttr(element, 0x1p20)); // infinity in f16
    return arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OLT, args[0], limit); // NaN is not below a limit
  });
}

/// Returns, for each batch entry, whether all attention scores are known to be higher than half the masked score (the
/// number that replaces the scores of masked keys). Dimension 0 of queries and keys is the batch.
static Value emitFits(OpBuilder &b, Location loc, AttentionOp attention) {
  Type element = getElementTypeOrSelf(attention.getQuery().getType());
  double size = attention.getSizes().headSize * std::abs(attention.getScaleValue());
  double half = -attention.getMaskedScoreValue() / 2;
  SmallVector<Value> largest = {emitLargest(b, loc, attention.getQuery()), emitLargest(b, loc, attention.getKey())};
  // |q . k| <= D max |q| max |k|. A NaN is not below the limit.
  return emitLoops(b, loc, largest, 1, b.getI1Type(), {}, [&](OpBuilder &inner, ValueRange args) {
    Value factor = arith::ConstantOp::create(inner, loc, inner.getFloatAttr(element, size));
    Value limit = arith::ConstantOp::create(inner, loc, inner.getFloatAttr(element, half));
    Value bound = arith::MulFOp::create(inner, loc, arith::MulFOp::create(inner, loc, args[0], factor), args[1]);
    return arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OLT, bound, limit);
  });
}

Value heddle::emitWhole(OpBuilder &b, Location loc, Value flags, ValueRange inputs, AttentionOp attention) {
  SmallVector<Value> conditions = {emitAny(b, loc, flags)};
  for (Value input : inputs)
    conditions.push_back(emitValid(b, loc, input));
  if (attention)
    conditions.push_back(emitFits(b, loc, attention));
  return emitWholeUnless(b, loc, flags, conditions);
}

bool heddle::canBoundScores(AttentionOp attention) {
  double score = attention.getMaskedScoreValue(), largest = std::numeric_limits<float>::max();
  // e^-512 times any f32 is 0 in f32.
  return attention.getMask() && !attention.getBias() && !attention.hasScore() && !attention.hasProbability() &&
         !attention.getSoftcap() && !attention.getKeyLengths() && attention.getCausal() == Causal::None &&
         !attention.getWindow() && score <= -1024 && score > -largest &&
         std::abs(attention.getScaleValue()) < 1e6 && getElementTypeOrSelf(attention.getQuery().getType()).isF32();
}
