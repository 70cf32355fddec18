//===- AttentionStored.cpp - keys and values stored as integers -----------===//
//
// Keys and values of a state may be integers with a scale per row. With few
// queries, each row is used only a few times, so it is cheaper to multiply the
// scale by the score or attention probability of the row, a single number, than
// by each element. A sum of products of unscaled integers may overflow although
// the sum of scaled products does not. A task is therefore computed again with
// scaled elements if its queries are so large that this may happen, or if its
// result is not finite.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Returns the integers and scales if `rows` are stored as integers with a scale for each row and nothing else, and if
/// the lowering can read them in this form; else `rows` and null. Keys must lie in lanes, in several blocks that are
/// prefetched, and attention must not round its operands.
AttentionEmitter::StoredRows AttentionEmitter::storedRows(Value rows) {
  auto stored = rows.getDefiningOp<DequantizeOp>();
  if (!tiles.inRows || plan.once || !plan.prefetchBytes || !stored || stored.isPlain() || stored.getZeroPoints() ||
      stored.getMinima() || stored.getOutliers() || op.getRounding())
    return {rows, Value()};
  SmallVector<int64_t> row(stored.getBlock().size(), 1);
  row.back() = cast<RankedTensorType>(rows.getType()).getShape().back();
  if (stored.getBlock() != ArrayRef(row))
    return {rows, Value()};
  return {stored.getInput(), stored.getScales()};
}

/// Returns the offsets of a slice, in a tensor of four dimensions in `layout`, that begins at this batch entry, head
/// and position, and at element 0.
SmallVector<OpFoldResult> AttentionEmitter::headOffsets(Layout layout, Value batch, Value head, Value position) {
  OpFoldResult zero = b.getIndexAttr(0);
  if (layout == Layout::Bhsd)
    return {batch, head, position, zero};
  return {batch, position, head, zero};
}

/// Returns the sizes of a slice of a tensor in `layout`, with one batch entry and `size` elements of each head.
SmallVector<Extent> AttentionEmitter::headSizes(Layout layout, const Extent &positions, int64_t size, int64_t heads) {
  if (layout == Layout::Bhsd)
    return {1, heads, positions, size};
  return {1, positions, heads, size};
}

/// Returns the dimensions for positions and elements, which remain in a slice of one head.
SmallVector<unsigned> AttentionEmitter::headKeep(Layout layout) {
  return layout == Layout::Bhsd ? SmallVector<unsigned>{2, 3} : SmallVector<unsigned>{1, 3};
}

/// Returns one head of one batch entry: rows [Skv][width], and the scales of these rows [Skv] if there are any.
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

/// Returns an element of stored rows as a float, without the scale.
Value AttentionEmitter::numberOf(TileBuilder &inner, Value stored) {
  if (!stored.getType().isInteger())
    return stored;
  Value word = arith::ExtSIOp::create(inner, inner.getI32Type(), stored);
  return arith::SIToFPOp::create(inner, element, word);
}

/// Returns whether sums of products of the task's queries and unscaled integers may overflow. The output need not be
/// infinite or NaN in this case, since a score that overflows to -inf looks like the score of a removed key.
Value AttentionEmitter::mayOverflow(const Task &task) {
  auto type = cast<RankedTensorType>(task.query.getType());
  constexpr double maximum = 256; // more than the magnitude of a byte, 128, so rounding does not matter
  Value bounds = b.generic("pp", {{0, 1}, {0, 1}}, task.query, b.empty(type.getShape(), element),
                           [&](TileBuilder &inner, ValueRange args) {
                             Value bound = inner.real(maximum * double(size), element);
                             return SmallVector<Value>{arith::MulFOp::create(inner, args[0], bound)};
                           })[0];
  return isNotFinite(bounds);
}

/// Multiplies a tile of scores or weights (exponentials of scores), for `count` keys from `firstKey` on, by the scales
/// of their rows.
Value AttentionEmitter::timesScales(Value scales, Value firstKey, const Extent &count, Value tile) {
  if (!scales)
    return tile;
  Value part = b.slice(scales, {firstKey}, {count}, {0});
  return b.generic("pp", {{keyDim}, {0, 1}}, part, tile, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{arith::MulFOp::create(inner, args[1], inner.cast(args[0], element))};
  })[0];
}
