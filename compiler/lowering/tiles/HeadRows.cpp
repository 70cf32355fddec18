//===- HeadRows.cpp - the rows of heads as rows of a matrix ---------------===//

#include "HeadRows.h"

#include "Sizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

HeadRows HeadRows::of(Operation *op, RankedTensorType type, Layout layout) {
  bool isBhsd = layout == Layout::Bhsd;
  return {layout, type.getDimSize(isBhsd ? 1 : 2), type.getDimSize(3), Sizes(op).of(type.getDimSize(isBhsd ? 2 : 1))};
}

RankedTensorType HeadRows::matrixOf(RankedTensorType type) const {
  ArrayRef<int64_t> shape = type.getShape();
  if (areBelow())
    return RankedTensorType::get({shape[0] * shape[1] * shape[2], shape[3]}, type.getElementType());
  return RankedTensorType::get({shape[0] * shape[1], shape[2] * shape[3]}, type.getElementType());
}

std::pair<OpFoldResult, OpFoldResult> HeadRows::emitPosition(OpBuilder &b, Location loc, Value batch, Value head,
                                                             OpFoldResult row) const {
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(operands.size(), 0, expr), operands);
  };
  OpFoldResult sequence = areBelow() ? apply(d0 * heads + d1, {batch, head}) : OpFoldResult(batch);
  OpFoldResult column = areBelow() ? OpFoldResult(b.getIndexAttr(0)) : apply(d0 * size, {head});
  if (rows.isFixed())
    return {apply(d0 * rows.number() + d1, {sequence, row}), column};
  Value first = arith::MulIOp::create(b, loc, getValueOrCreateConstantIndexOp(b, loc, sequence), rows.emitValue(b, loc));
  return {apply(d0 + d1, {first, row}), column};
}

Value HeadRows::emitRead(OpBuilder &b, Location loc, Value tensor, const Element &at) const {
  SmallVector<Value> indices = {at.batch, at.head, at.row, at.column};
  if (layout == Layout::Bshd)
    std::swap(indices[1], indices[2]);
  return tensor::ExtractOp::create(b, loc, tensor, indices);
}
