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
      type.getElementType() != result.kind.getElementOf(FragmentRole::Sum))
    return op->emitError() << "cannot distribute a tile of type " << type << " over lanes";
  result.layout = result.kind.getLayout(FragmentRole::Sum);
  result.inBlock = result.kind.getCount(FragmentRole::Sum);
  result.warpColumns = place.getWarpColumns();
  result.m = result.kind.getShape()[0];
  result.n = result.kind.getShape()[1];
  result.down = type.getDimSize(0) / place.getWarpRows() / result.m;
  result.across = type.getDimSize(1) / place.getWarpColumns() / result.n;
  return result;
}

int64_t FragmentLayout::findWidth(int64_t maximum) const {
  auto fits = [&](int64_t width) {
    for (int64_t lane = 0; lane < FragmentKind::lanes; ++lane)
      for (int64_t element = 0; element < inBlock; ++element) {
        auto at = layout.compose({lane, element}), first = layout.compose({lane, element / width * width});
        if (at[0] != first[0] || at[1] != first[1] + element % width)
          return false;
      }
    return inBlock % width == 0;
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
  for (int64_t element = 0; element < inBlock; ++element) {
    auto *row = llvm::find_if(rows, [&](ArrayRef<int64_t> known) { return areInLine(0, known.front(), element); });
    if (row == rows.end())
      row = &rows.emplace_back();
    row->push_back(element);
  }
  return rows;
}

/// Emits the row or column (`result` 0 or 1) of a lane's element, in a part of a warp that begins at `start`.
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
  Value columns = arith::ConstantIndexOp::create(b, warpColumns);
  Value warpColumn = arith::RemUIOp::create(b, emitWarp(b, thread), columns);
  return emitPosition(b, layout, 1, thread, b.getAffineDimExpr(1) * (n * across) + blockAcross * n, warpColumn,
                      element);
}
