//===- LaneCopies.cpp - copies of tiles into workgroup memory -------------===//

#include "Divisors.h"
#include "LaneCode.h"
#include "TilePlaces.h"

#include "kinds/FragmentCode.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle;

GlobalPart GlobalPart::of(ImplicitLocOpBuilder &b, Value view) {
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

/// Returns whether the index is known to be at least `size`.
static bool reaches(Value index, int64_t size) {
  std::optional<int64_t> number = getConstantIntValue(index);
  return number && *number >= size;
}

/// Thread t copies the chunks t, t + threads, ... of the tile. All loads precede all stores, so that they overlap.
LogicalResult LaneCode::copy(TileCopyOp op) {
  auto type = cast<MemRefType>(op.getTile().getType());
  if (!isWorkgroupTile(op.getTile()))
    return op.emitError("expects a whole tile in workgroup memory as destination, found ") << type;
  if (placeOf(op.getSource()))
    return op.emitError("expects a source in global memory, found ") << op.getSource().getType();
  beforeGlobal(/*reads=*/true, /*writes=*/false);
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  Value validRows, validColumns; // null if the whole tile is copied
  if (!op.getValid().empty()) {
    validRows = reaches(op.getValid()[0], rows) ? Value() : op.getValid()[0];
    validColumns = reaches(op.getValid()[1], columns) ? Value() : op.getValid()[1];
  }
  GlobalPart source = GlobalPart::of(b, op.getSource());
  source.offsets = source.emitIndices(b, op.getIndices());
  int64_t wide = widestAccess / int64_t(type.getElementTypeBitWidth());
  if (columns % wide != 0 || !source.isAligned(wide) || (validColumns && !isMultiple(validColumns, wide)))
    wide = 1;
  isCopiedByElement |= wide == 1;
  Type chunk = wide > 1 ? Type(VectorType::get({wide}, type.getElementType())) : type.getElementType();
  int64_t across = columns / wide, chunks = rows * across;
  struct Part {
    Value row, column, exists, value;
  };
  // If whole rows are between the chunks of a thread, these are at constant distances from the first.
  bool inColumn = threads % across == 0 && source.isAligned(1);
  Value view;
  SmallVector<Part> parts;
  for (int64_t first = 0; first < chunks; first += threads) {
    AffineExpr number = b.getAffineDimExpr(0) + first;
    auto apply = [&](AffineExpr expr) -> Value {
      return affine::makeComposedAffineApply(b, b.getLoc(), AffineMap::get(1, 0, expr), {OpFoldResult(thread)});
    };
    Part part = {apply(number.floorDiv(across)), apply(number % across * wide), Value(), Value()};
    if (chunks - first < threads)
      part.exists = emitLess(thread, constant(chunks - first));
    Value isValid = part.exists;
    auto require = [&](Value index, Value end) {
      Value isInside = end ? emitLess(index, end) : Value();
      isValid = isValid && isInside ? Value(arith::AndIOp::create(b, isValid, isInside))
                : isInside          ? isInside
                                    : isValid;
    };
    require(part.row, validRows);
    require(part.column, validColumns);
    if (inColumn && !view)
      view = source.emitView(b, part.row, part.column, rows, wide);
    part.value = emitIf(isValid, chunk, [&]() -> Value {
      SmallVector<Value> at = inColumn ? SmallVector<Value>{constant(first / across), constant(0)}
                                       : source.emitIndices(b, {part.row, part.column});
      Value from = inColumn ? view : source.buffer;
      if (wide > 1)
        return vector::LoadOp::create(b, cast<VectorType>(chunk), from, at);
      return memref::LoadOp::create(b, from, at);
    });
    parts.push_back(part);
  }
  beforeWrites(op.getTile());
  for (const Part &part : parts)
    emitIf(part.exists, Type(), [&]() -> Value {
      if (wide > 1)
        vector::StoreOp::create(b, part.value, op.getTile(), ValueRange{part.row, part.column});
      else
        memref::StoreOp::create(b, part.value, op.getTile(), ValueRange{part.row, part.column});
      return {};
    });
  return success();
}
