//===- GlobalPart.cpp - parts of matrices in global memory ----------------===//

#include "GlobalPart.h"

#include "Divisors.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle;

/// If `view` is a matrix that consists of some adjacent columns of a larger tensor, in all of its rows, collapses the
/// larger tensor to a matrix and returns these columns of it. For example, keys and values may be columns of one
/// projection.
static std::optional<GlobalPart> findColumns(ImplicitLocOpBuilder &b, Value view) {
  auto collapse = view.getDefiningOp<memref::CollapseShapeOp>();
  auto slice = collapse ? collapse.getSrc().getDefiningOp<memref::SubViewOp>() : memref::SubViewOp();
  if (!slice || !slice.hasUnitStride())
    return std::nullopt;
  SmallVector<ReassociationIndices> groups(collapse.getReassociationIndices());
  if (groups.size() != 2 || groups.back().size() != 1)
    return std::nullopt;
  MemRefType all = slice.getSourceType(), part = slice.getType();
  bool hasAllRows = all.hasStaticShape() && part.hasStaticShape() && all.getLayout().isIdentity() &&
                    all.getRank() == part.getRank() &&
                    all.getShape().drop_back() == part.getShape().drop_back() &&
                    llvm::all_of(ArrayRef(slice.getMixedOffsets()).drop_back(),
                                 [](OpFoldResult offset) { return isZeroInteger(offset); });
  if (!hasAllRows)
    return std::nullopt;
  Value matrix = memref::CollapseShapeOp::create(b, slice.getSource(), groups);
  SmallVector<Value> offsets = getValueOrCreateConstantIndexOp(
      b, b.getLoc(), {OpFoldResult(b.getIndexAttr(0)), slice.getMixedOffsets().back()});
  return GlobalPart{matrix, offsets};
}

GlobalPart GlobalPart::of(ImplicitLocOpBuilder &b, Value view) {
  if (std::optional<GlobalPart> columns = findColumns(b, view))
    return *columns;
  if (auto cast = view.getDefiningOp<memref::CastOp>())
    return of(b, cast.getSource());
  auto slice = view.getDefiningOp<memref::SubViewOp>();
  if (!slice || !slice.hasUnitStride() || slice.getSourceType().getRank() != slice.getType().getRank())
    return {view, {}};
  GlobalPart source = of(b, slice.getSource());
  SmallVector<Value> offsets = getValueOrCreateConstantIndexOp(b, b.getLoc(), slice.getMixedOffsets());
  return {source.buffer, source.emitIndices(b, offsets)};
}

bool GlobalPart::isAligned(int64_t count) const {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 0 || !type.getLayout().isIdentity() || type.isDynamicDim(type.getRank() - 1))
    return false;
  bool hasAlignedRows = type.getRank() == 1 || type.getShape().back() % count == 0;
  return hasAlignedRows && (offsets.empty() || isMultiple(offsets.back(), count));
}

SmallVector<Value> GlobalPart::emitIndices(ImplicitLocOpBuilder &b, ValueRange indices) const {
  SmallVector<Value> sums(indices);
  AffineMap add = AffineMap::get(2, 0, b.getAffineDimExpr(0) + b.getAffineDimExpr(1));
  if (!offsets.empty())
    for (auto [sum, offset] : llvm::zip(sums, offsets))
      sum = getValueOrCreateConstantIndexOp(
          b, b.getLoc(),
          affine::makeComposedFoldedAffineApply(b, b.getLoc(), add, {OpFoldResult(offset), OpFoldResult(sum)}));
  return sums;
}

Value GlobalPart::emitView(ImplicitLocOpBuilder &b, Value row, Value column, int64_t rows, int64_t columns) const {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t stride = type.getShape().back();
  SmallVector<Value> at = emitIndices(b, {row, column});
  AffineMap linear = AffineMap::get(2, 0, b.getAffineDimExpr(0) * stride + b.getAffineDimExpr(1));
  OpFoldResult offset = affine::makeComposedFoldedAffineApply(b, b.getLoc(), linear, getAsOpFoldResult(at));
  Value whole = buffer; // reshapes of whole buffers do not change addresses
  while (auto reshape = whole.getDefiningOp<ViewLikeOpInterface>()) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(*reshape))
      break;
    whole = reshape.getViewSource();
  }
  SmallVector<OpFoldResult> sizes = {b.getIndexAttr(rows), b.getIndexAttr(columns)};
  SmallVector<OpFoldResult> strides = {b.getIndexAttr(stride), b.getIndexAttr(1)};
  auto view =
      MemRefType::get({rows, columns}, type.getElementType(),
                      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {stride, 1}), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, view, whole, offset, sizes, strides);
}

Value heddle::emitEnd(ImplicitLocOpBuilder &b, OpFoldResult end, int64_t size) {
  std::optional<int64_t> number = getConstantIntValue(end);
  return number && *number >= size ? Value() : getValueOrCreateConstantIndexOp(b, b.getLoc(), end);
}

Value heddle::emitLess(ImplicitLocOpBuilder &b, Value index, Value end) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, end);
}
