//===- FragmentLayout.cpp - which elements of a tile a lane has -----------===//

#include "FragmentLayout.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

static constexpr int64_t lanes = 32; // of a warp

Value heddle::emitLane(ImplicitLocOpBuilder &b, Value thread) {
  return arith::RemUIOp::create(b, thread, arith::ConstantIndexOp::create(b, lanes));
}

Value heddle::emitWarp(ImplicitLocOpBuilder &b, Value thread) {
  return arith::DivUIOp::create(b, thread, arith::ConstantIndexOp::create(b, lanes));
}

FailureOr<FragmentLayout> FragmentLayout::of(Operation *op, MemRefType type) {
  auto place = cast<FragmentsAttr>(type.getMemorySpace());
  FragmentLayout layout;
  layout.type = type;
  layout.kind = place.getKind();
  if (!type.hasStaticShape() || !place.divides(type.getShape()) ||
      type.getElementType() != layout.kind.getElementOf(FragmentRole::Sum))
    return op->emitError() << "cannot distribute a tile of type " << type << " over lanes";
  layout.places = layout.kind.getPlaces(FragmentRole::Sum);
  layout.inBlock = layout.kind.getCount(FragmentRole::Sum);
  layout.warpColumns = place.getWarpColumns();
  layout.m = layout.kind.getShape()[0];
  layout.n = layout.kind.getShape()[1];
  layout.down = type.getDimSize(0) / place.getWarpRows() / layout.m;
  layout.across = type.getDimSize(1) / place.getWarpColumns() / layout.n;
  return layout;
}

int64_t FragmentLayout::findWidth(int64_t maximum) const {
  auto fits = [&](int64_t width) {
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (int64_t element = 0; element < inBlock; ++element) {
        auto place = places.compose({lane, element}), first = places.compose({lane, element / width * width});
        if (place[0] != first[0] || place[1] != first[1] + element % width)
          return false;
      }
    return inBlock % width == 0;
  };
  int64_t width = maximum;
  while (width > 1 && !fits(width))
    width /= 2;
  return width;
}

SmallVector<SmallVector<int64_t>> FragmentLayout::findRows() const {
  auto isSameRow = [&](int64_t left, int64_t right) {
    return llvm::all_of(llvm::seq<int64_t>(0, lanes), [&](int64_t lane) {
      return places.compose({lane, left})[0] == places.compose({lane, right})[0];
    });
  };
  SmallVector<SmallVector<int64_t>> rows;
  for (int64_t element = 0; element < inBlock; ++element) {
    auto *row = llvm::find_if(rows, [&](ArrayRef<int64_t> known) { return isSameRow(known.front(), element); });
    if (row == rows.end())
      row = &rows.emplace_back();
    row->push_back(element);
  }
  return rows;
}

/// Emits the row or column (`result` 0 or 1) of a lane's element, in a part of a warp that begins at `start`.
static Value emitPlace(ImplicitLocOpBuilder &b, AffineMap places, unsigned result, Value thread, AffineExpr start,
                       Value warpAlong, std::optional<int64_t> element) {
  AffineExpr lane = b.getAffineDimExpr(0);
  AffineExpr inBlock = b.getAffineConstantExpr(0);
  if (element)
    inBlock = places.getResult(result).replaceDims({lane, b.getAffineConstantExpr(*element)});
  return affine::makeComposedAffineApply(b, b.getLoc(), AffineMap::get(2, 0, start + inBlock),
                                         {OpFoldResult(emitLane(b, thread)), OpFoldResult(warpAlong)});
}

Value FragmentLayout::emitRow(ImplicitLocOpBuilder &b, Value thread, int64_t blockDown,
                              std::optional<int64_t> element) const {
  Value columns = arith::ConstantIndexOp::create(b, warpColumns);
  Value warpRow = arith::DivUIOp::create(b, emitWarp(b, thread), columns);
  return emitPlace(b, places, 0, thread, b.getAffineDimExpr(1) * (m * down) + blockDown * m, warpRow, element);
}

Value FragmentLayout::emitColumn(ImplicitLocOpBuilder &b, Value thread, int64_t blockAcross,
                                 std::optional<int64_t> element) const {
  Value columns = arith::ConstantIndexOp::create(b, warpColumns);
  Value warpColumn = arith::RemUIOp::create(b, emitWarp(b, thread), columns);
  return emitPlace(b, places, 1, thread, b.getAffineDimExpr(1) * (n * across) + blockAcross * n, warpColumn, element);
}
