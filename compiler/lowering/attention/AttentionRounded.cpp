//===- AttentionRounded.cpp - attention with bf16 products ----------------===//
//
// A 32-bit word holds two bf16 elements of a contracted dimension. An
// instruction multiplies the elements of two words pairwise and adds both
// products. It makes no difference which two elements form a pair; here their
// distance is half the contracted dimension, so that whole vectors are
// combined. If the dimension has an odd number of elements, one of them is
// paired with zero.
//
// Exponentials are rounded before their sum is known, and possibly before all
// scores are known. They are therefore computed relative to a power of two
// instead of the maximum: if more keys lead to a larger power of two, rescaling
// does not change the mantissas of rounded exponentials.
//
// The rounded numbers are multiplied in f32 if there is no instruction for pairs, if there are few queries (`inRows`),
// and in a task that computes again a result that is not finite (`checked`, see AttentionEmitter.h).
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

/// Returns whether the task multiplies pairs of bf16 with one instruction.
bool AttentionEmitter::inPairs(const Task &task) {
  return op.getRounding() && op.getRounding()->isBF16() && tiles.pairs && !tiles.inRows && !task.checked;
}

/// Returns a new tile with these extents. An extent that is known only at run time must be at most blockK.
Value AttentionEmitter::emptyLike(const TileExtents &extents, Type type) {
  auto upperBound = [&](const Extent &extent) { return extent.isFixed() ? extent.number() : plan.blockK; };
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  return b.slice(b.empty({upperBound(extents[0]), upperBound(extents[1])}, type), origin, extents, {0, 1});
}

/// Returns the sizes of a tile with two dimensions; a size that is known only at run time is an emitted value.
AttentionEmitter::TileExtents AttentionEmitter::extentsOf(Value tile) {
  return {tensor::getMixedSize(b, b.getLoc(), tile, 0), tensor::getMixedSize(b, b.getLoc(), tile, 1)};
}

/// If attention rounds, rounds each element of a tile and stores it as f32.
Value AttentionEmitter::rounded(Value tile) {
  if (!op.getRounding())
    return tile;
  Value into = emptyLike(extentsOf(tile), element);
  return b.generic("pp", {{0, 1}, {0, 1}}, tile, into, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{op.emitRounded(inner, inner.getLoc(), args[0])};
  })[0];
}

/// Combines the elements of a tile into pairs along dimension `along`. Returns a tile of i32 words, one for each pair.
Value AttentionEmitter::pairs(Value tile, unsigned along) {
  TileExtents used = extentsOf(tile);
  // The number of elements, the number of pairs, and the number of pairs that have two elements.
  Extent count = used[along], all = 0, whole = 0;
  if (count.isFixed()) {
    all = llvm::divideCeil(count.number(), 2);
    whole = count.number() / 2;
  } else {
    all = Value(arith::CeilDivUIOp::create(b, b.index(count), b.index(2)));
    whole = Value(arith::DivUIOp::create(b, b.index(count), b.index(2)));
  }
  used[along] = all;
  Value words = emptyLike(used, b.getI32Type());

  auto at = [&](const Extent &from) {
    SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0));
    offsets[along] = from.emit(b, b.getLoc());
    return offsets;
  };
  // Fills `number` pairs from `first` on, with two elements if `ofTwo`, else with one element and zero.
  auto fill = [&](const Extent &first, const Extent &number, bool ofTwo) {
    if (number.high() == 0)
      return;
    used[along] = number;
    SmallVector<Value> inputs = {b.slice(tile, at(first), used, {0, 1})};
    if (ofTwo)
      inputs.push_back(b.slice(tile, at(all), used, {0, 1}));
    SmallVector<LoopDims> dims(inputs.size() + 1, LoopDims{0, 1});
    Value part = b.slice(words, at(first), used, {0, 1});
    part = b.generic("pp", dims, inputs, part, [&](TileBuilder &inner, ValueRange args) {
      Value high = ofTwo ? args[1] : inner.real(0.0, element);
      return SmallVector<Value>{PairOp::create(inner, inner.getI32Type(), args[0], high)};
    })[0];
    words = b.insert(part, words, at(first), used);
  };
  fill(0, whole, /*ofTwo=*/true);
  Extent rest = count.isFixed() ? Extent(count.number() % 2) : Extent(b.sub(b.index(all), b.index(whole)));
  fill(whole, rest, /*ofTwo=*/false);
  return words;
}

/// Returns a tile as an operand of products: unchanged, rounded to bf16, or in pairs. `along` is the contracted
/// dimension.
Value AttentionEmitter::asFactor(const Task &task, Value tile, unsigned along) {
  return inPairs(task) ? pairs(tile, along) : rounded(tile);
}

/// Returns sum + x y, for numbers or pairs.
Value AttentionEmitter::plusProduct(TileBuilder &inner, Value x, Value y, Value sum) {
  if (x.getType().isInteger(32) && y.getType().isInteger(32))
    return PairDotOp::create(inner, sum.getType(), x, y, sum);
  return arith::AddFOp::create(inner, sum, arith::MulFOp::create(inner, numberOf(inner, x), numberOf(inner, y)));
}

Value heddle::emitPowerOf(TileBuilder &b, AttentionOp op, double unit, Value maximum) {
  if (!op.getRounding())
    return maximum;
  auto number = [&](double value) { return b.real(value, maximum.getType()); };
  bool ofTwo = unit != 1.0;
  Value power = ofTwo ? maximum : arith::MulFOp::create(b, maximum, number(llvm::numbers::log2e));
  power = math::CeilOp::create(b, power);
  if (!ofTwo) { // With rounding, the product below may be less than the maximum.
    power = arith::MulFOp::create(b, power, number(llvm::numbers::ln2));
    Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, power, maximum);
    power = arith::SelectOp::create(b, isLarger, power, maximum);
  }
  Value isSmall = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, maximum),
                                        number(AttentionOp::largestPower * unit));
  return arith::SelectOp::create(b, isSmall, power, maximum);
}
