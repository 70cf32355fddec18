//===- FragmentLayout.cpp - which elements of a tile a lane has -----------===//

#include "FragmentLayout.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

Value heddle::emitLane(ImplicitLocOpBuilder &b, Value thread) {
  return arith::RemUIOp::create(b, thread, arith::ConstantIndexOp::create(b, FragmentKind::lanes));
}

Value heddle::emitWarp(ImplicitLocOpBuilder &b, Value thread) {
  return arith::DivUIOp::create(b, thread, arith::ConstantIndexOp::create(b, FragmentKind::lanes));
}

FailureOr<FragmentLayout> FragmentLayout::of(Operation *op, MemRefType type) {
  auto place = cast<FragmentsAttr>(type.getMemorySpace());
  FragmentLayout result;
  result.type = type;
  result.kind = place.getKind();
  if (!type.hasStaticShape() || !place.divides(type.getShape()) ||
      !llvm::is_contained({result.kind.getElementOf(FragmentRole::Sum), result.kind.getElementOf(FragmentRole::Left)},
                          type.getElementType()))
    return op->emitError() << "cannot distribute a tile of type " << type << " over lanes";
  result.layout = result.kind.getLayout(FragmentRole::Sum);
  result.warpColumns = place.getWarpColumns();
  result.m = result.kind.getShape()[0];
  result.n = result.kind.getShape()[1];
  result.down = type.getDimSize(0) / place.getWarpRows() / result.m;
  result.across = result.isOfRows() ? 1 : type.getDimSize(1) / place.getWarpColumns() / result.n;
  result.inBlock = result.isOfRows() ? result.findRows().size() : result.kind.getCount(FragmentRole::Sum);
  return result;
}

bool FragmentLayout::isOfRowsOf(const FragmentLayout &tile) const {
  return isOfRows() && !tile.isOfRows() && type.getMemorySpace() == tile.type.getMemorySpace() &&
         getRows() == tile.getRows();
}

int64_t FragmentLayout::findWidth(int64_t maximum) const {
  int64_t count = kind.getCount(FragmentRole::Sum);
  auto fits = [&](int64_t width) {
    for (int64_t lane = 0; lane < FragmentKind::lanes; ++lane)
      for (int64_t element = 0; element < count; ++element) {
        auto at = layout.compose({lane, element}), first = layout.compose({lane, element / width * width});
        if (at[0] != first[0] || at[1] != first[1] + element % width)
          return false;
      }
    return count % width == 0;
  };
  int64_t width = maximum;
  while (width > 1 && !fits(width))
    width /= 2;
  return width;
}

bool FragmentLayout::areInLine(unsigned dim, int64_t left, int64_t right) const {
  return llvm::all_of(llvm::seq<int64_t>(0, FragmentKind::lanes), [&](int64_t lane) {
    return layout.compose({lane, left})[dim] == layout.compose({lane, right})[dim];
  });
}

SmallVector<SmallVector<int64_t>> FragmentLayout::findRows() const {
  SmallVector<SmallVector<int64_t>> rows;
  for (int64_t element = 0; element < kind.getCount(FragmentRole::Sum); ++element) {
    auto *row = llvm::find_if(rows, [&](ArrayRef<int64_t> known) { return areInLine(0, known.front(), element); });
    if (row == rows.end())
      row = &rows.emplace_back();
    row->push_back(element);
  }
  return rows;
}

FailureOr<SmallVector<int64_t>> FragmentLayout::findSharingBits(Operation *op) const {
  int64_t count = kind.getCount(FragmentRole::Sum);
  SmallVector<int64_t> rows; // the row of each element of each lane
  for (int64_t lane = 0; lane < FragmentKind::lanes; ++lane)
    for (int64_t element = 0; element < count; ++element)
      rows.push_back(layout.compose({lane, element})[0]);
  auto rowsOf = [&](int64_t lane) { return ArrayRef(rows).slice(lane * count, count); };
  SmallVector<int64_t> bits;
  int64_t mask = 0;
  for (int64_t bit = 1; bit < FragmentKind::lanes; bit *= 2)
    if (llvm::all_of(llvm::seq<int64_t>(0, FragmentKind::lanes),
                     [&](int64_t lane) { return rowsOf(lane) == rowsOf(lane ^ bit); })) {
      bits.push_back(bit);
      mask |= bit;
    }
  for (int64_t lane = 0; lane < FragmentKind::lanes; ++lane)
    for (int64_t other = 0; other < lane; ++other)
      if (((lane ^ other) & ~mask) &&
          llvm::any_of(rowsOf(lane), [&](int64_t row) { return llvm::is_contained(rowsOf(other), row); }))
        return op->emitOpError() << "reduces rows of " << kind << ", which is not supported: lanes " << other << " and "
                                 << lane << " have some rows in common, but not all";
  return bits;
}

FailureOr<SmallVector<ElementPlace>> heddle::findLeftInSums(FragmentKind kind) {
  int64_t n = kind.getShape()[1], k = kind.getShape()[2];
  AffineMap left = kind.getLayout(FragmentRole::Left), sums = kind.getLayout(FragmentRole::Sum);
  auto isAt = [&](int64_t element, const ElementPlace &place) {
    return llvm::all_of(llvm::seq<int64_t>(0, FragmentKind::lanes), [&](int64_t lane) {
      auto wanted = left.compose({lane, element}), found = sums.compose({lane, place.element});
      return wanted[0] == found[0] && wanted[1] == place.across * n + found[1];
    });
  };
  SmallVector<ElementPlace> places;
  for (int64_t element = 0; element < kind.getCount(FragmentRole::Left); ++element) {
    std::optional<ElementPlace> known;
    for (int64_t across = 0; across < k / n; ++across)
      for (int64_t i = 0; i < kind.getCount(FragmentRole::Sum); ++i)
        if (isAt(element, {across, i}))
          known = {across, i};
    if (!known)
      return failure();
    places.push_back(*known);
  }
  return places;
}

/// Emits the position in the tile (the row if `result` is 0, the column if it is 1) of element `element` of a lane, in
/// the block that begins at `start`; without an element, emits the position at which the block begins. Dimension 0 of
/// `start` is the lane, dimension 1 is `warpAlong`, the index of the warp along this axis.
static Value emitPosition(ImplicitLocOpBuilder &b, AffineMap layout, unsigned result, Value thread, AffineExpr start,
                          Value warpAlong, std::optional<int64_t> element) {
  AffineExpr lane = b.getAffineDimExpr(0);
  AffineExpr inBlock = b.getAffineConstantExpr(0);
  if (element)
    inBlock = layout.getResult(result).replaceDims({lane, b.getAffineConstantExpr(*element)});
  return affine::makeComposedAffineApply(b, b.getLoc(), AffineMap::get(2, 0, start + inBlock),
                                         {OpFoldResult(emitLane(b, thread)), OpFoldResult(warpAlong)});
}

Value FragmentLayout::emitRow(ImplicitLocOpBuilder &b, Value thread, int64_t blockDown,
                              std::optional<int64_t> element) const {
  Value columns = arith::ConstantIndexOp::create(b, warpColumns);
  Value warpRow = arith::DivUIOp::create(b, emitWarp(b, thread), columns);
  return emitPosition(b, layout, 0, thread, b.getAffineDimExpr(1) * (m * down) + blockDown * m, warpRow, element);
}

Value FragmentLayout::emitColumn(ImplicitLocOpBuilder &b, Value thread, int64_t blockAcross,
                                 std::optional<int64_t> element) const {
  return emitPosition(b, layout, 1, thread, b.getAffineDimExpr(1) * (n * across) + blockAcross * n,
                      emitWarpAcross(b, thread), element);
}

Value FragmentLayout::emitWarpAcross(ImplicitLocOpBuilder &b, Value thread) const {
  return arith::RemUIOp::create(b, emitWarp(b, thread), arith::ConstantIndexOp::create(b, warpColumns));
}
