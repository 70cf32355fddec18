//===- LinearTileParts.cpp - contractions divided among workgroups --------===//
//
// A layer with a small result has few blocks, however long its contraction is.
// Here, the contraction is divided into parts (split-k). A workgroup computes
// the sums of a block over one part. A second kernel adds the sums of all parts
// in their order, so that a result does not depend on the order in which
// workgroups run, and applies the epilogue.
//
//===----------------------------------------------------------------------===//

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

/// The number of parts whose sums a lane loads before it adds the first of them. A load takes several hundred cycles,
/// which the lane would otherwise wait for each part.
static constexpr int64_t sumsAtOnce = 8;
/// The maximum number of warps of a workgroup that adds the sums of parts.
static constexpr int64_t maxJoinWarps = 4;

int64_t LinearParts::findTerms(int64_t k, int64_t depth, int64_t blocks) const {
  int64_t wanted = blocks > workgroups / 4 ? 1 : llvm::divideCeilSigned(workgroups, blocks);
  return EvenParts::of(llvm::divideCeil(k, depth), wanted, llvm::divideCeilSigned(terms, depth)).steps * depth;
}

/// Emits the task that computes the sums of one block over one part of the contraction. `at` contains the numbers of the
/// block along rows and columns and the number of the part. Returns the sums with their position in a matrix that has
/// the sums of each part below those of the previous part.
TaskPart LinearTileLowering::emitPart(ValueRange at, Value out) {
  begin(at);
  OpFoldResult first = emitAffine(b, loc, at[2], termsOfPart, 0);
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  AffineMap endMap = AffineMap::get(1, 0, {d0 + termsOfPart, b.getAffineConstantExpr(k)}, b.getContext());
  OpFoldResult end = affine::makeComposedFoldedAffineMin(b, loc, endMap, {first});
  auto value = [&](OpFoldResult index) { return getValueOrCreateConstantIndexOp(b, loc, index); };
  Value sums = emitProducts(value(first), value(end));
  Value above = arith::MulIOp::create(b, loc, at[2], m.emitValue(b, loc));
  OpFoldResult row = affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(2, 0, d0 + d1), {above, firstRow});
  SmallVector<OpFoldResult> position = {row, firstColumn}, sizes = {height, width};
  Value part = emitRowOp(b, loc, {{sums, RowAccess::Tile}},
                         {{heddle::emitPart(b, loc, out, position, sizes), RowAccess::Tile}},
                         [](OpBuilder &, ValueRange arguments) { return SmallVector<Value>(1, arguments[0]); })[0];
  return {part, position, sizes};
}

/// Emits the sums of the current block over all parts, whose sums are `sumsOfParts`, in `tile`, which is in registers.
/// Returns those that are elements of the result.
Value LinearTileLowering::emitJoinedSums(Value tile, Value sumsOfParts) {
  int64_t count = llvm::divideCeilSigned(k, termsOfPart), whole = count / sumsAtOnce * sumsAtOnce;
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  auto add = [&](Value first, int64_t number, Value sums) -> Value {
    SmallVector<RowInput> inputs;
    for (int64_t i = 0; i < number; ++i) {
      Value part = b.createOrFold<arith::AddIOp>(loc, first, constant(i));
      Value above = b.createOrFold<arith::MulIOp>(loc, part, m.emitValue(b, loc));
      OpFoldResult row =
          affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(2, 0, d0 + d1), {above, firstRow});
      inputs.push_back({heddle::emitPart(b, loc, sumsOfParts, {row, firstColumn}, {height, width}), RowAccess::Tile});
    }
    return emitRowOp(b, loc, inputs, {{sums, RowAccess::Tile}}, [&](OpBuilder &inner, ValueRange arguments) {
      Value sum = arguments.back();
      for (Value ofPart : arguments.drop_back())
        sum = arith::AddFOp::create(inner, loc, sum, ofPart);
      return SmallVector<Value>{sum};
    })[0];
  };
  Value zero = emitFloat(b, loc, getElementTypeOrSelf(tile), 0.0);
  Value sums = linalg::FillOp::create(b, loc, zero, tile).getResult(0);
  OpFoldResult none = b.getIndexAttr(0);
  sums = heddle::emitPart(b, loc, sums, {none, none}, {height, width});
  if (whole) {
    auto loop = scf::ForOp::create(b, loc, constant(0), constant(whole), constant(sumsAtOnce), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, loc, add(loop.getInductionVar(), sumsAtOnce, loop.getRegionIterArg(0)));
    sums = loop.getResult(0);
  }
  return whole < count ? add(constant(whole), count - whole, sums) : sums;
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
  // The elements of a row that a lane accesses at once, and the lanes that share a row.
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
