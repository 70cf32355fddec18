//===- TileParts.cpp - slices that workgroups read or write ---------------===//

#include "TileParts.h"
#include "Emit.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

Value heddle::emitPart(OpBuilder &b, Location loc, Value source, ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  return source ? Value(tensor::ExtractSliceOp::create(b, loc, source, offsets, sizes, ones)) : Value();
}

Value heddle::emitFilled(OpBuilder &b, Location loc, Value tensor, double number) {
  return linalg::FillOp::create(b, loc, emitFloat(b, loc, getElementTypeOrSelf(tensor), number), tensor).getResult(0);
}

OpFoldResult heddle::emitCountFrom(OpBuilder &b, Location loc, OpFoldResult first, const Extent &all, int64_t size) {
  if (all.isFixed() && all.number() % size == 0)
    return b.getIndexAttr(size);
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  AffineMap map = AffineMap::get(2, 0, {d1 - d0, b.getAffineConstantExpr(size)}, b.getContext());
  return affine::makeComposedFoldedAffineMin(b, loc, map, {first, all.emit(b, loc)});
}
