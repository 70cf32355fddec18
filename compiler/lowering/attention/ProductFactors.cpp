//===- ProductFactors.cpp - factors of attention, possibly rounded --------===//
//
// A 32-bit word holds two bf16 elements of a contracted dimension. An
// instruction multiplies the elements of two words pairwise and adds both
// products. It makes no difference which two elements form a pair; here their
// distance is half the contracted dimension, so that whole vectors are
// combined. If the dimension has an odd number of elements, one of them is
// paired with zero.
//
// Rounded numbers are multiplied in f32 if the target has no instruction for
// pairs, if keys lie in lanes, and in checked tasks (AttentionTask.h).
//
//===----------------------------------------------------------------------===//

#include "ProductFactors.h"
#include "StoredRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

ProductFactors::ProductFactors(AttentionOp op, bool inPairs, int64_t maximum)
    : op(op), inPairs(inPairs && op.getRounding() && op.getRounding()->isBF16()), maximum(maximum) {}

/// Emits a new tile with these extents.
Value ProductFactors::emitEmpty(TileBuilder &b, const Extents &extents, Type type) const {
  auto upperBound = [&](const Extent &extent) { return extent.isFixed() ? extent.number() : maximum; };
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  return b.slice(b.empty({upperBound(extents[0]), upperBound(extents[1])}, type), origin, extents, {0, 1});
}

/// Returns the sizes of a tile with two dimensions; a size that is known only at run time is an emitted value.
static std::array<Extent, 2> extentsOf(TileBuilder &b, Value tile) {
  return {tensor::getMixedSize(b, b.getLoc(), tile, 0), tensor::getMixedSize(b, b.getLoc(), tile, 1)};
}

/// If attention rounds, rounds each element of a tile and stores it in the same type.
Value ProductFactors::emitRounded(TileBuilder &b, Value tile) const {
  if (!op.getRounding())
    return tile;
  Value into = emitEmpty(b, extentsOf(b, tile), getElementTypeOrSelf(tile));
  return b.generic("pp", {{0, 1}, {0, 1}}, tile, into, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{op.emitRounded(inner, inner.getLoc(), args[0])};
  })[0];
}

/// Combines the elements of a tile into pairs along dimension `along`. Returns a tile of i32 words, one for each pair.
Value ProductFactors::emitPairs(TileBuilder &b, Value tile, unsigned along) const {
  Extents used = extentsOf(b, tile);
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
  Value words = emitEmpty(b, used, b.getI32Type());

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
      Value high = ofTwo ? args[1] : inner.real(0.0, args[0].getType());
      return SmallVector<Value>{PairOp::create(inner, inner.getI32Type(), args[0], high)};
    })[0];
    words = b.insert(part, words, at(first), used);
  };
  fill(0, whole, /*ofTwo=*/true);
  Extent rest = count.isFixed() ? Extent(count.number() % 2) : Extent(b.sub(b.index(all), b.index(whole)));
  fill(whole, rest, /*ofTwo=*/false);
  return words;
}

Value ProductFactors::emit(TileBuilder &b, Value tile, unsigned along) const {
  return inPairs ? emitPairs(b, tile, along) : emitRounded(b, tile);
}

Value ProductFactors::emitOfWeights(TileBuilder &b, Value weights, unsigned along) const {
  return inPairs ? emitPairs(b, weights, along) : weights;
}

Value ProductFactors::emitSum(TileBuilder &b, Value x, Value y, Value sum) const {
  Type type = sum.getType();
  if (x.getType().isInteger(32) && y.getType().isInteger(32))
    return PairDotOp::create(b, type, x, y, sum);
  return arith::AddFOp::create(b, sum, arith::MulFOp::create(b, emitNumber(b, x, type), emitNumber(b, y, type)));
}
