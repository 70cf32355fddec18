//===- PairRoundings.cpp - two roundings in one instruction ---------------===//

#include "PairRoundings.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

/// Returns whether floats of type `from` can be rounded to `to` in pairs.
static bool hasPairs(Type from, Type to) { return from.isF32() && (to.isBF16() || to.isF16()); }

/// Returns whether the operation rounds to the nearest number, which is the default.
static bool isToNearest(arith::TruncFOp op) {
  return op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) == arith::RoundingMode::to_nearest_even;
}

/// Rounds two f32 to a vector of two elements of type `element`.
static Value emitPair(OpBuilder &b, Location loc, Type element, Value low, Value high) {
  auto pair = VectorType::get({2}, element);
  constexpr auto nearest = NVVM::FPRoundingMode::RN;
  if (element.isBF16())
    return NVVM::ConvertF32x2ToBF16x2Op::create(b, loc, pair, high, low, /*random_bits=*/Value(), nearest);
  return NVVM::ConvertF32x2ToF16x2Op::create(b, loc, pair, high, low, /*random_bits=*/Value(), nearest);
}

/// Rounds `numbers`, whose count is even, and returns a vector of type `type`.
static Value emitRounded(PatternRewriter &b, Location loc, VectorType type, ValueRange numbers) {
  SmallVector<Value> elements;
  for (size_t i = 0; i < numbers.size(); i += 2) {
    Value pair = emitPair(b, loc, type.getElementType(), numbers[i], numbers[i + 1]);
    if (numbers.size() == 2)
      return pair;
    for (int64_t j = 0; j < 2; ++j)
      elements.push_back(vector::ExtractOp::create(b, loc, pair, j));
  }
  return vector::FromElementsOp::create(b, loc, type, elements);
}

/// Returns whether vectors of this type consist of pairs.
static bool isOfPairs(VectorType type) {
  return type.getRank() == 1 && !type.isScalable() && type.getNumElements() % 2 == 0;
}

/// Rounds the elements of a vector in pairs.
static LogicalResult roundVector(arith::TruncFOp op, PatternRewriter &b) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type || !isToNearest(op) || !isOfPairs(type) ||
      !hasPairs(getElementTypeOrSelf(op.getIn()), type.getElementType()))
    return failure();
  SmallVector<Value> numbers;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    numbers.push_back(vector::ExtractOp::create(b, op.getLoc(), op.getIn(), i));
  b.replaceOp(op, emitRounded(b, op.getLoc(), type, numbers));
  return success();
}

/// Rounds, in pairs, the scalars from which the operation makes a vector.
static LogicalResult roundElements(vector::FromElementsOp op, PatternRewriter &b) {
  VectorType type = op.getType();
  SmallVector<Value> numbers;
  for (Value element : op.getElements())
    if (auto rounding = element.getDefiningOp<arith::TruncFOp>(); rounding && isToNearest(rounding))
      numbers.push_back(rounding.getIn());
  if (!isOfPairs(type) || int64_t(numbers.size()) != type.getNumElements() ||
      !llvm::all_of(numbers, [&](Value number) { return hasPairs(number.getType(), type.getElementType()); }))
    return failure();
  b.replaceOp(op, emitRounded(b, op.getLoc(), type, numbers));
  return success();
}

/// Expands heddle.pair to roundings of pairs, element by element.
static LogicalResult expandPair(heddle::PairOp op, PatternRewriter &b) {
  Location loc = op.getLoc();
  auto emitWord = [&](Value low, Value high) -> Value {
    Value pair = emitPair(b, loc, b.getBF16Type(), low, high);
    Value word = vector::BitCastOp::create(b, loc, VectorType::get({1}, b.getI32Type()), pair);
    return vector::ExtractOp::create(b, loc, word, int64_t(0));
  };
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type) {
    b.replaceOp(op, emitWord(op.getLow(), op.getHigh()));
    return success();
  }
  if (type.getRank() != 1 || type.isScalable())
    return failure();
  SmallVector<Value> words;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    words.push_back(emitWord(vector::ExtractOp::create(b, loc, op.getLow(), i),
                             vector::ExtractOp::create(b, loc, op.getHigh(), i)));
  b.replaceOp(op, vector::FromElementsOp::create(b, loc, type, words));
  return success();
}

void heddle::populatePairRoundings(RewritePatternSet &patterns) {
  patterns.add(roundVector).add(roundElements).add(expandPair);
}
