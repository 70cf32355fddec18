//===- PanelPlace.cpp - positions of a weight's panels --------------------===//

#include "PanelPlace.h"
#include "Emit.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

PanelPlace heddle::emitPanelPlace(OpBuilder &b, Location loc, ArrayRef<int64_t> shape, int64_t n, int64_t panel,
                                  OpFoldResult number, int64_t width) {
  // Without interleaved panels, or if a task reads all panels of a group, tasks are in the order of columns.
  if (shape.size() != 4 || panel != shape.back())
    return {b.getIndexAttr(0), number, number, emitAffine(b, loc, number, panel, 0)};

  // `interleaved` panels with neighbouring columns form a group. If each task reads one panel, the tasks follow the
  // order of panels in memory, not the order of columns: the first tasks read the first panels of all full groups, the
  // next tasks read the second panels of these groups, and so on. The last tasks read the panels of the last,
  // incomplete group.
  int64_t interleaved = shape[0], length = shape[1], full = n / (interleaved * panel);
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(operands.size(), 0, expr), operands);
  };
  OpFoldResult beside = apply(d0 - interleaved * full, {number}), along = b.getIndexAttr(full);
  if (width == panel && full) {
    OpFoldResult first = apply(d0.floorDiv(full), {number}), within = apply(d0 % full, {number});
    if (n / panel > interleaved * full) {
      auto value = [&](OpFoldResult index) { return getValueOrCreateConstantIndexOp(b, loc, index); };
      Value isFull = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, value(number),
                                           value(b.getIndexAttr(interleaved * full)));
      first = arith::SelectOp::create(b, loc, isFull, value(first), value(beside)).getResult();
      within = arith::SelectOp::create(b, loc, isFull, value(within), value(along)).getResult();
    }
    beside = first;
    along = within;
  }
  return {beside, along, apply(d0 * length + d1, {beside, along}),
          apply((d1 * interleaved + d0) * panel, {beside, along})};
}
