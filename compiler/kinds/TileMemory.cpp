//===- TileMemory.cpp - tiles in workgroup memory -------------------------===//

#include "TileMemory.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle;

namespace {
/// How the chunks of a swizzled tile are permuted.
struct Swizzle {
  int64_t chunk;     // the number of elements of a chunk
  int64_t swapped;   // the number of chunks that are permuted together, a power of two
  int64_t rowsApart; // the number of successive rows with the same permutation
};
} // namespace

/// Returns how a tile is swizzled; nullopt if it is row-major.
static std::optional<Swizzle> findSwizzle(MemRefType tile, int64_t rowsApart) {
  constexpr int64_t chunkBits = 128, lineChunks = 8; // the bits of a chunk, and chunks in a line across all 32 banks
  int64_t chunk = chunkBits / tile.getElementTypeBitWidth(), columns = tile.getShape().back(), chunks = columns / chunk;
  // The number of chunks that are permuted together: a power of two that divides the number of chunks in a row. In
  // memory, a chunk of the next row lies a multiple of this number of chunks behind the same chunk of this row.
  int64_t swapped = std::min<int64_t>(lineChunks, chunks & -chunks);
  if (rowsApart == 0 || columns % chunk != 0 || swapped < 2)
    return std::nullopt;
  int64_t apart = lineChunks / swapped; // the same chunk of this number of successive rows lies in different banks
  return Swizzle{chunk, swapped, std::max(rowsApart, apart)};
}

static Value emitApply(ImplicitLocOpBuilder &b, AffineExpr expr, ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedAffineApply(b, b.getLoc(), AffineMap::get(operands.size(), 0, expr), operands);
}

SmallVector<Value> heddle::emitTileIndices(ImplicitLocOpBuilder &b, MemRefType tile, int64_t rowsApart, Value row,
                                           Value column) {
  std::optional<Swizzle> swizzle = findSwizzle(tile, rowsApart);
  if (!swizzle)
    return {row, column};
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  Value by = emitApply(b, d0.floorDiv(swizzle->rowsApart) % swizzle->swapped, {row});
  Value number = arith::XOrIOp::create(b, emitApply(b, d0.floorDiv(swizzle->chunk), {column}), by);
  return {row, emitApply(b, d0 * swizzle->chunk + d1 % swizzle->chunk, {number, column})};
}

TileAccess heddle::emitTileAccess(ImplicitLocOpBuilder &b, Value tile, int64_t rowsApart, const TileElement &element,
                                  bool pointers) {
  auto type = cast<MemRefType>(tile.getType());
  auto [row, column, rowShift, columnShift] = element;
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  if (!pointers) {
    auto shifted = [&](Value index, int64_t by) { return by ? emitApply(b, d0 + by, {index}) : index; };
    return {tile, emitTileIndices(b, type, rowsApart, shifted(row, rowShift), shifted(column, columnShift))};
  }
  if (std::optional<Swizzle> swizzle = findSwizzle(type, rowsApart)) {
    // Shifts by whole periods of the permutation do not change it.
    auto takeRest = [&](Value index, int64_t &shift, int64_t period) {
      int64_t rest = shift % period;
      shift -= rest;
      return rest ? emitApply(b, d0 + rest, {index}) : index;
    };
    row = takeRest(row, rowShift, swizzle->rowsApart * swizzle->swapped);
    column = takeRest(column, columnShift, swizzle->chunk * swizzle->swapped);
  }
  SmallVector<Value> at = emitTileIndices(b, type, rowsApart, row, column);
  int64_t rowStride = type.getStridesAndOffset().first.front();
  Value offset = emitApply(b, d0 * rowStride + d1, getAsOpFoldResult(at));
  // The tile may be a part of a buffer, such as the part of one stage. The sum with its offset is not composed, so that
  // the rest is computed outside of the loop over stages.
  Value whole = tile;
  while (auto view = whole.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto part = dyn_cast<memref::SubViewOp>(*view)) {
      SmallVector<int64_t> strides = part.getSourceType().getStridesAndOffset().first;
      for (auto [at, stride] : llvm::reverse(llvm::zip_equal(part.getMixedOffsets(), strides)))
        if (!isZeroInteger(at))
          offset = arith::AddIOp::create(b, emitApply(b, d0 * stride, {at}), offset);
    }
    whole = view.getViewSource();
  }
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {rowStride, 1});
  auto view = MemRefType::get(type.getShape(), type.getElementType(), layout, type.getMemorySpace());
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  SmallVector<OpFoldResult> strides = {b.getIndexAttr(rowStride), b.getIndexAttr(1)};
  Value buffer = memref::ReinterpretCastOp::create(b, view, whole, OpFoldResult(offset), sizes, strides);
  auto constant = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(b, number); };
  return {buffer, {constant(rowShift), constant(columnShift)}};
}
