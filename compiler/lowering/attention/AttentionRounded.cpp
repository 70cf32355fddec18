//===- AttentionRounded.cpp - attention with products of bf16 --------------===//
//
// Two numbers of a contraction lie in one word, which a CPU multiplies with another such word. It makes no difference
// which two: those that are half of the contraction apart, so that whole vectors become whole vectors. Where there is
// one left over, it is a pair with zero.
//
// Exponentials are rounded before it is known what they are divided by, and maybe before all scores are. So they are
// those of differences to a power of two: another one, with more keys, changes no digit of them.
//
// Without such an instruction, and where a task is checked, f32 multiplies what was rounded.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

bool AttentionEmitter::inPairs(const Task &task) {
  return op.getRounding() && tiles.pairs && !tiles.inRows && !task.checked;
}

/// A new tile like this one. A number of keys that only the call knows is at most that of a block.
Value AttentionEmitter::emptyLike(const TileExtents &extents, Type type) {
  auto most = [&](const Extent &extent) { return extent.isFixed() ? extent.number() : blockK; };
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  return b.slice(b.empty({most(extents[0]), most(extents[1])}, type), origin, extents, {0, 1});
}

AttentionEmitter::TileExtents AttentionEmitter::extentsOf(Value tile) {
  return {tensor::getMixedSize(b, b.getLoc(), tile, 0), tensor::getMixedSize(b, b.getLoc(), tile, 1)};
}

/// Each element of a tile as the nearest number of the type that is rounded to.
Value AttentionEmitter::rounded(Value tile) {
  if (!op.getRounding())
    return tile;
  Value into = emptyLike(extentsOf(tile), element);
  return b.generic("pp", {{0, 1}, {0, 1}}, tile, into, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{PairOp::roundToBF16(inner, inner.getLoc(), args[0])};
  })[0];
}

/// The elements of a tile as pairs along dimension `along`.
Value AttentionEmitter::pairs(Value tile, unsigned along) {
  TileExtents used = extentsOf(tile);
  Extent count = used[along], all = 0, whole = 0; // elements, pairs, and those of two elements
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
  // `number` of them from `first` on, of two elements or of one.
  auto fill = [&](const Extent &first, const Extent &number, bool ofTwo) {
    if (number.high() == 0)
      return;
    used[along] = number;
    SmallVector<Value> inputs = {b.slice(tile, at(first), used, {0, 1})};
    if (ofTwo)
      inputs.push_back(b.slice(tile, at(all), used, {0, 1}));
    SmallVector<Dims> dims(inputs.size() + 1, Dims{0, 1});
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

/// A tile as products take it: as it is, rounded, or as pairs.
Value AttentionEmitter::asFactor(const Task &task, Value tile, unsigned along) {
  return inPairs(task) ? pairs(tile, along) : rounded(tile);
}

/// sum + x y, of numbers or of pairs of them.
Value AttentionEmitter::plusProduct(TileBuilder &inner, Value x, Value y, Value sum) {
  if (x.getType().isInteger(32) && y.getType().isInteger(32))
    return PairDotOp::create(inner, sum.getType(), x, y, sum);
  return arith::AddFOp::create(inner, sum, arith::MulFOp::create(inner, numberOf(inner, x), numberOf(inner, y)));
}

/// What is subtracted from scores in place of their maximum: the logarithm of the least power of two that is not below
/// its exponential. Of a maximum that large that its last digit counts for more, itself (Attention.td).
Value AttentionEmitter::powerOf(TileBuilder &inner, Value maximum) {
  if (!op.getRounding())
    return maximum;
  auto number = [&](double value) { return inner.real(value, element); };
  bool ofTwo = unit != 1.0;
  Value power = ofTwo ? maximum : arith::MulFOp::create(inner, maximum, number(llvm::numbers::log2e));
  power = math::CeilOp::create(inner, power);
  if (!ofTwo) // rounded, it may be below the maximum
    power = largerOf(inner, arith::MulFOp::create(inner, power, number(llvm::numbers::ln2)), maximum);
  Value isSmall = arith::CmpFOp::create(inner, arith::CmpFPredicate::OLT, math::AbsFOp::create(inner, maximum),
                                        number(AttentionOp::largestPower * unit));
  return arith::SelectOp::create(inner, isSmall, power, maximum);
}
