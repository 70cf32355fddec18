//===- AttentionStored.cpp - a past of integers, which have a scale a row --===//
//
// Of a row of integers each element is as many times the row's scale. Few queries that go through a long past do little
// with a row, so its scale is multiplied with what is one number for a row, its score and its weight, not with each
// element. A sum of products without the scale may be past the largest number where that with it is not: a task whose
// queries are so large is computed again with the elements as they are, as one is that is not finite.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// The integers and their scales, if `rows` are such and in a state; else `rows` and null.
AttentionEmitter::StoredRows AttentionEmitter::storedRows(Value rows) {
  auto stored = rows.getDefiningOp<DequantizeOp>();
  if (!tiles.inRows || once || !ahead || !stored || stored.isPlain() || stored.getZeroPoints() || stored.getMinima() ||
      stored.getExact() || op.getRounding())
    return {rows, Value()};
  SmallVector<int64_t> row(stored.getBlock().size(), 1);
  row.back() = cast<RankedTensorType>(rows.getType()).getShape().back();
  if (stored.getBlock() != ArrayRef(row))
    return {rows, Value()};
  return {stored.getInput(), stored.getScales()};
}

SmallVector<OpFoldResult> AttentionEmitter::headOffsets(Layout layout, Value batch, Value head, Value position) {
  OpFoldResult zero = b.getIndexAttr(0);
  if (layout == Layout::Bhsd)
    return {batch, head, position, zero};
  return {batch, position, head, zero};
}

SmallVector<Extent> AttentionEmitter::headSizes(Layout layout, const Extent &positions, int64_t size, int64_t heads) {
  if (layout == Layout::Bhsd)
    return {1, heads, positions, size};
  return {1, positions, heads, size};
}

SmallVector<unsigned> AttentionEmitter::headKeep(Layout layout) {
  return layout == Layout::Bhsd ? SmallVector<unsigned>{2, 3} : SmallVector<unsigned>{1, 3};
}

/// One head of them: [Skv][D], and the scales [Skv].
AttentionEmitter::StoredRows AttentionEmitter::storedHead(const StoredRows &all, Layout layout, Value batch, Value head,
                                                          int64_t width) {
  SmallVector<OpFoldResult> origin = headOffsets(layout, batch, head, b.index(0));
  SmallVector<unsigned> keep = headKeep(layout);
  StoredRows one;
  one.numbers = b.slice(all.numbers, origin, headSizes(layout, keys, width), keep);
  if (all.scales)
    one.scales = b.slice(all.scales, origin, headSizes(layout, keys, 1), {keep[0]});
  return one;
}

/// An element of such rows without the scale.
Value AttentionEmitter::numberOf(TileBuilder &inner, Value stored) {
  if (!stored.getType().isInteger())
    return stored;
  Value word = arith::ExtSIOp::create(inner, inner.getI32Type(), stored);
  return arith::SIToFPOp::create(inner, element, word);
}

/// Whether sums of products of the task's queries with such numbers may be past the largest one. The output does not
/// always show it: a score of -inf is one of a key that was removed.
Value AttentionEmitter::mayOverflow(const Task &task) {
  auto type = cast<RankedTensorType>(task.query.getType());
  constexpr double most = 256; // of a number, and of what is rounded up
  Value bounds = b.generic("pp", {{0, 1}, {0, 1}}, task.query, b.empty(type.getShape(), element),
                           [&](TileBuilder &inner, ValueRange args) {
                             Value bound = inner.real(most * double(size), element);
                             return SmallVector<Value>{arith::MulFOp::create(inner, args[0], bound)};
                           })[0];
  return isNotFinite(bounds);
}

/// A tile of scores or weights of `count` keys from `firstKey` on, times what their rows' scales are.
Value AttentionEmitter::timesScales(Value scales, Value firstKey, const Extent &count, Value tile) {
  if (!scales)
    return tile;
  Value part = b.slice(scales, {firstKey}, {count}, {0});
  return b.generic("pp", {{keyDim}, {0, 1}}, part, tile, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{arith::MulFOp::create(inner, args[1], inner.cast(args[0], element))};
  })[0];
}
