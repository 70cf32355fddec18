//===- LinearTileParts.cpp - contractions divided among workgroups --------===//
//
// A layer with a small result has few blocks, however long its contraction is.
// Here, the contraction is divided into parts (split-k). A workgroup computes
// the sums of a block over one part. A second kernel adds the sums of all parts
// in their order, so that a result does not depend on the order in which
// workgroups run, and applies the epilogue.
//
//===----------------------------------------------------------------------===//

#include "ChunkLoop.h"
#include "EvenParts.h"
#include "LinearTileLowering.h"
#include "RowOps.h"
#include "TileParts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

/// The maximum number of warps of a workgroup that adds the sums of parts.
static constexpr int64_t maxJoinWarps = 4;

int64_t LinearParts::findTerms(int64_t k, int64_t depth, int64_t blocks) const {
  int64_t wanted = blocks > workgroups / 4 ? 1 : llvm::divideCeilSigned(workgroups, blocks);
  return EvenParts::of(llvm::divideCeil(k, depth), wanted, llvm::divideCeilSigned(terms, depth)).steps * depth;
}

/// Emits the slice of `sums` for the sums of the current block over part `part` of the contraction. In the matrix
/// `sums`, the sums over each part lie below those over the previous part.
TaskPart LinearTileLowering::emitSumsOfPart(Value sums, Value part) {
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  Value above = b.createOrFold<arith::MulIOp>(loc, part, m.emitValue(b, loc));
  OpFoldResult row = affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(2, 0, d0 + d1), {above, firstRow});
  SmallVector<OpFoldResult> position = {row, firstColumn}, sizes = {height, width};
  return {heddle::emitPart(b, loc, sums, position, sizes), position, sizes};
}

/// Emits the task that computes the sums of one block over one part of the contraction. `at` contains the numbers of
/// the block along rows and columns and the number of the part. Returns the sums with their position in `out`.
TaskPart LinearTileLowering::emitPart(ValueRange at, Value out) {
  begin(at);
  OpFoldResult first = emitAffine(b, loc, at[2], termsOfPart, 0);
  AffineMap endMap =
      AffineMap::get(1, 0, {b.getAffineDimExpr(0) + termsOfPart, b.getAffineConstantExpr(k)}, b.getContext());
  OpFoldResult end = affine::makeComposedFoldedAffineMin(b, loc, endMap, {first});
  auto value = [&](OpFoldResult index) { return getValueOrCreateConstantIndexOp(b, loc, index); };
  Value sums = emitProducts(value(first), value(end));
  TaskPart place = emitSumsOfPart(out, at[2]);
  place.part = emitRowOp(b, loc, {{sums, RowAccess::Tile}}, {{place.part, RowAccess::Tile}},
                         [](OpBuilder &, ValueRange arguments) { return SmallVector<Value>(1, arguments[0]); })[0];
  return place;
}

/// Emits the sums of the current block over all parts, whose sums are `sumsOfParts`, in `tile`, which is in registers.
/// Returns those inside the result: a block may extend beyond its last row and column.
Value LinearTileLowering::emitJoinedSums(Value tile, Value sumsOfParts) {
  auto add = [&](OpBuilder &, ValueRange ofChunk, ValueRange, ValueRange carried) {
    SmallVector<RowInput> inputs;
    for (Value part : ofChunk)
      inputs.push_back({emitSumsOfPart(sumsOfParts, part).part, RowAccess::Tile});
    return SmallVector<Value>(
        emitRowOp(b, loc, inputs, {{carried[0], RowAccess::Tile}}, [&](OpBuilder &inner, ValueRange arguments) {
          Value sum = arguments.back();
          for (Value ofPart : arguments.drop_back())
            sum = arith::AddFOp::create(inner, loc, sum, ofPart);
          return SmallVector<Value>{sum};
        }));
  };
  OpFoldResult none = b.getIndexAttr(0);
  Value sums = heddle::emitPart(b, loc, emitFilled(b, loc, tile, 0.0), {none, none}, {height, width});
  return forEachChunk(b, loc, llvm::divideCeilSigned(k, termsOfPart), partsOfChunk, sums, add)[0];
}

/// Emits the tasks of all parts of `counts` blocks along rows and columns, and the tasks that add the sums of the parts
/// and apply the epilogue. Returns the matrix of the result.
Value LinearTileLowering::emitParts(ArrayRef<Extent> counts) {
  int64_t partCount = llvm::divideCeilSigned(k, termsOfPart);
  Type element = kind.getElementOf(FragmentRole::Sum);
  int64_t rows = cast<RankedTensorType>(dest.getType()).getDimSize(0); // a placeholder if it lies in a range
  Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{partCount * rows, n}, element);
  Value sums = emitTaskParts(b, loc, {counts[0], counts[1], Extent(partCount)}, empty,
                             [&](OpBuilder &, ValueRange at, Value out) { return emitPart(at, out); });
  // The number of elements of a row that a lane accesses at once, and the number of lanes that share a row.
  int64_t width = std::gcd(n, FragmentKind::widestAccess / element.getIntOrFloatBitWidth());
  int64_t lanes = std::min<int64_t>(FragmentKind::lanes, llvm::PowerOf2Ceil(llvm::divideCeil(n, width)));
  int64_t rowsOfWarp = FragmentKind::lanes / lanes;
  int64_t warps = std::min<int64_t>(maxJoinWarps, llvm::divideCeilSigned(m.high(), rowsOfWarp));
  auto rowKind = RowsAttr::get(b.getContext(), element, lanes, width);
  auto place = FragmentsAttr::get(b.getContext(), rowKind, warps, /*warpColumns=*/1);
  block.rows = warps * rowsOfWarp;
  block.columns = lanes * width;
  OpFoldResult rowBlocks = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(1, 0, b.getAffineDimExpr(0).ceilDiv(block.rows)), {m.emit(b, loc)});
  return emitTaskParts(b, loc, {Extent(rowBlocks), int64_t(llvm::divideCeil(n, block.columns))}, dest,
                       [&](OpBuilder &, ValueRange at, Value out) {
                         begin(at);
                         auto type = RankedTensorType::get({block.rows, block.columns}, element);
                         auto tile = bufferization::AllocTensorOp::create(b, loc, type, ValueRange());
                         tile.setMemorySpaceAttr(place);
                         return finish(emitJoinedSums(tile, sums), out);
                       });
}
