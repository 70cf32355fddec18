//===- WorkgroupTile.cpp - tiles filled by a workgroup --------------------===//

#include "WorkgroupTile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

OpFoldResult heddle::emitSum(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> terms) {
  AffineExpr sum = b.getAffineConstantExpr(0);
  for (unsigned i = 0; i < terms.size(); ++i)
    sum = sum + b.getAffineDimExpr(i);
  return affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(terms.size(), 0, sum), terms);
}

Value heddle::emitFilledTile(OpBuilder &b, Location loc, Value source, ArrayRef<int64_t> shape, int64_t width,
                             RowPlace place, int64_t apart) {
  SmallVector<Extent> counts(shape.begin(), shape.end());
  counts.back() = shape.back() / width;
  Type element = cast<RankedTensorType>(source.getType()).getElementType();
  SmallVector<int64_t> inMemory(shape);
  inMemory.back() += apart;
  Value tile = tensor::EmptyOp::create(b, loc, inMemory, element);
  tile = emitSlice(b, loc, tile, SmallVector<OpFoldResult>(shape.size(), b.getIndexAttr(0)), shape);
  return emitTaskParts(b, loc, counts, tile, [&](OpBuilder &, ValueRange ivs, Value out) {
    SmallVector<OpFoldResult> from = place(ivs), to(getAsOpFoldResult(ivs));
    to.back() = emitAffine(b, loc, to.back(), width, 0);
    auto places = [&](ArrayRef<OpFoldResult> at) { return getValueOrCreateConstantIndexOp(b, loc, at); };
    SmallVector<int64_t> sizes(to.size(), 1), kept(to.size(), 0);
    sizes.back() = kept.back() = width;
    Value part = emitSlice(b, loc, out, to, kept), zero = arith::ConstantIndexOp::create(b, loc, 0);
    if (width == 1) {
      Value one = tensor::ExtractOp::create(b, loc, source, places(from));
      part = tensor::InsertOp::create(b, loc, one, part, zero);
    } else {
      auto type = VectorType::get({width}, element);
      Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
      Value some = vector::TransferReadOp::create(b, loc, type, source, places(from), none, ArrayRef<bool>(true));
      part = vector::TransferWriteOp::create(b, loc, some, part, ValueRange(zero), ArrayRef<bool>(true)).getResult();
    }
    return TaskPart{part, to, getAsIndexOpFoldResult(b.getContext(), sizes)};
  });
}
