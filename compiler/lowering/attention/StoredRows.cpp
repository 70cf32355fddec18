//===- StoredRows.cpp - keys and values stored as integers ----------------===//
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

#include "StoredRows.h"
#include "HeadSlice.h"
#include "NotFinite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

StoredRows StoredRows::of(Value rows) {
  auto stored = rows.getDefiningOp<DequantizeOp>();
  if (!stored || stored.isPlain() || stored.getZeroPoints() || stored.getMinima() || stored.getOutliers())
    return {rows, Value()};
  SmallVector<int64_t> row(stored.getBlock().size(), 1);
  row.back() = cast<RankedTensorType>(rows.getType()).getShape().back();
  if (stored.getBlock() != ArrayRef(row))
    return {rows, Value()};
  return {stored.getInput(), stored.getScales()};
}

StoredRows StoredRows::emitHead(TileBuilder &b, Layout layout, Value batch, Value head, const Extent &keys,
                                int64_t width) const {
  HeadSlice slice{layout, batch, head, b.index(0), keys, width};
  SmallVector<unsigned> keep = slice.getRowDims();
  StoredRows one;
  one.numbers = b.slice(numbers, slice.getOffsets(), slice.getSizes(), keep);
  slice.size = 1;
  if (scales)
    one.scales = b.slice(scales, slice.getOffsets(), slice.getSizes(), {keep[0]});
  return one;
}

Value heddle::emitNumber(TileBuilder &b, Value stored, Type type) {
  if (!stored.getType().isInteger())
    return stored;
  Value word = arith::ExtSIOp::create(b, b.getI32Type(), stored);
  return arith::SIToFPOp::create(b, type, word);
}

Value heddle::emitTimesScales(TileBuilder &b, Value scales, Value firstKey, const Extent &count, Value tile,
                              unsigned keyDim) {
  if (!scales)
    return tile;
  Value part = b.slice(scales, {firstKey}, {count}, {0});
  return b.generic("pp", {{keyDim}, {0, 1}}, part, tile, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{arith::MulFOp::create(inner, args[1], inner.cast(args[0], args[1].getType()))};
  })[0];
}

Value heddle::emitMayOverflow(TileBuilder &b, Value query, int64_t size) {
  auto type = cast<RankedTensorType>(query.getType());
  constexpr double maximum = 256; // more than the magnitude of a byte, 128, so rounding does not matter
  Value bounds = b.generic("pp", {{0, 1}, {0, 1}}, query, b.empty(type.getShape(), type.getElementType()),
                           [&](TileBuilder &inner, ValueRange args) {
                             Value bound = inner.real(maximum * double(size), type.getElementType());
                             return SmallVector<Value>{arith::MulFOp::create(inner, args[0], bound)};
                           })[0];
  return emitIsNotFinite(b, bounds);
}
