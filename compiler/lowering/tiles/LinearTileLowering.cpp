//===- LinearTileLowering.cpp - linear layers by tiles with places --------===//
//
// A workgroup computes a block of the result. It keeps the sums in registers,
// distributed over its lanes, and copies tiles of the input and of the weight
// into workgroup memory. All operations are those of the whole workgroup; the
// places of the tiles determine which lane has which element.
//
//===----------------------------------------------------------------------===//

#include "LinearTileLowering.h"
#include "LinearEpilogue.h"
#include "Narrowing.h"
#include "RowOps.h"
#include "TileParts.h"
#include "Widened.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace heddle;

/// Sets the members that all blocks share, and adapts the block to the size of the result.
void LinearTileLowering::prepare() {
  auto result = cast<RankedTensorType>(linear.getResult().getType());
  k = cast<RankedTensorType>(linear.getInput().getType()).getShape().back();
  n = result.getShape().back();
  int64_t rows = result.getNumElements() / n;
  active = findActiveRows(b, linear.getResult());
  m = Sizes(linear).of(rows).emitOnce(b, loc);
  block.fit(kind, m, n, blocks);
  int64_t count = llvm::divideCeilSigned(m.high(), block.rows) * llvm::divideCeilSigned(n, block.columns);
  termsOfPart = parts.findTerms(k, block.depth, count);
  input = emitReshape(b, loc, linear.getInput(), {rows, k});
  if (linear.getResidual()) // if its elements are stored in a narrower type, the epilogue widens them
    residual = emitReshape(b, loc, emitStored(b, linear.getResidual()), {rows, n});
  if (linear.getBias())
    bias = emitReshape(b, loc, emitStored(b, linear.getBias()), {n});
  narrowing = active ? linalg::GenericOp() : findNarrowing(linear.getResult());
  Value whole = active ? active->result() : narrowing ? narrowing.getResult(0) : linear.getResult();
  dest = emitDestination(b, whole, RankedTensorType::get({rows, n}, getElementTypeOrSelf(whole)));
}

/// Returns a new tile whose buffer is in the memory space `place`.
Value LinearTileLowering::allocate(ArrayRef<int64_t> shape, FragmentRole role, Attribute place) {
  auto type = RankedTensorType::get(shape, kind.getElementOf(role));
  auto alloc = bufferization::AllocTensorOp::create(b, loc, type, ValueRange());
  alloc.setMemorySpaceAttr(place);
  return alloc;
}

/// Copies the part of `source` at `at` into a tile in workgroup memory, which is a factor of the product. `valid`
/// contains the numbers of rows and columns that exist in the source.
Value LinearTileLowering::copy(FragmentRole role, Value source, ArrayRef<OpFoldResult> at, ArrayRef<int64_t> shape,
                               ArrayRef<OpFoldResult> valid) {
  Value tile = allocate(shape, role, WorkgroupAttr::get(b.getContext()));
  auto values = [&](ArrayRef<OpFoldResult> indices) { return getValueOrCreateConstantIndexOp(b, loc, indices); };
  bool isWhole = isConstantIntValue(valid[0], shape[0]) && isConstantIntValue(valid[1], shape[1]);
  return TileCopyOp::create(b, loc, tile.getType(), source, values(at), isWhole ? SmallVector<Value>() : values(valid),
                            tile)
      .getResult();
}

/// Emits the sums of a block, initially zeros.
Value LinearTileLowering::emitSums() {
  Value sums = allocate({block.rows, block.columns}, FragmentRole::Sum,
                        FragmentsAttr::get(b.getContext(), kind, block.warpRows, block.warpColumns));
  return emitFilled(b, loc, sums, 0.0);
}

/// Adds the products of one step of the contraction, whose terms begin at `from`, and returns the sums.
Value LinearTileLowering::emitStep(OpFoldResult from, Value sums) {
  OpFoldResult terms = emitCountFrom(b, loc, from, k, block.depth);
  Value rows = copy(FragmentRole::Left, input, {firstRow, from}, {block.rows, block.depth}, {height, terms});
  Value weight =
      copy(FragmentRole::Right, linear.getWeight(), {from, firstColumn}, {block.depth, block.columns}, {terms, width});
  return linalg::MatmulOp::create(b, loc, ValueRange{rows, weight}, ValueRange{sums}).getResult(0);
}

/// Sets the members that describe a block: `at` is its number along rows and along columns.
void LinearTileLowering::begin(ValueRange at) {
  firstRow = emitAffine(b, loc, at[0], block.rows, 0);
  firstColumn = emitAffine(b, loc, at[1], block.columns, 0);
  height = emitCountFrom(b, loc, firstRow, m, block.rows);
  width = emitCountFrom(b, loc, firstColumn, n, block.columns);
}

/// Emits the sums of the current block over the terms from `begin` to `end` of the contraction. Returns those that are
/// elements of the result.
Value LinearTileLowering::emitProducts(Value begin, Value end) {
  Value depth = arith::ConstantIndexOp::create(b, loc, block.depth);
  auto loop = scf::ForOp::create(b, loc, begin, end, depth, emitSums());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, loc, emitStep(loop.getInductionVar(), loop.getRegionIterArg(0)));
  }
  int64_t steps = llvm::divideCeil(std::min(k, termsOfPart), block.depth);
  if (int64_t stages = std::min(block.stages, steps); stages > 1)
    notes::stages.set(loop, stages);
  bool isWhole = isConstantIntValue(height, block.rows) && isConstantIntValue(width, block.columns);
  OpFoldResult zero = b.getIndexAttr(0);
  return isWhole ? loop.getResult(0) : heddle::emitPart(b, loc, loop.getResult(0), {zero, zero}, {height, width});
}

/// Applies the epilogue to the sums of the current block, and returns the block with its position in the result.
TaskPart LinearTileLowering::finish(Value sums, Value out) {
  SmallVector<OpFoldResult> position = {firstRow, firstColumn}, sizes = {height, width};
  LinearEpilogue epilogue = {linear.getActivation(), heddle::emitPart(b, loc, bias, {firstColumn}, {width}),
                             heddle::emitPart(b, loc, residual, position, sizes),
                             heddle::emitPart(b, loc, active ? active->flags : Value(), {firstRow}, {height})};
  return {emitFinishedTile(b, loc, epilogue, sums, heddle::emitPart(b, loc, out, position, sizes)), position, sizes};
}

/// Emits the task that computes one block; `at` is the block's number along rows and along columns. Returns the block
/// with its position in the result.
TaskPart LinearTileLowering::emitBlock(ValueRange at, Value out) {
  begin(at);
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  return finish(emitProducts(constant(0), constant(k)), out);
}

void LinearTileLowering::run() {
  prepare();
  AffineExpr d0 = b.getAffineDimExpr(0);
  OpFoldResult rowBlocks =
      affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(1, 0, d0.ceilDiv(block.rows)), {m.emit(b, loc)});
  Extent counts[] = {rowBlocks, int64_t(llvm::divideCeil(n, block.columns))};
  if (termsOfPart < k)
    dest = emitParts(counts);
  else
    dest = emitTaskParts(b, loc, counts, dest,
                         [&](OpBuilder &, ValueRange at, Value out) { return emitBlock(at, out); });
  if (active)
    return replaceSelected(b, linear, *active, dest);
  if (narrowing)
    return replaceNarrowed(b, linear, narrowing, dest);
  b.replaceOp(linear, emitReshape(b, loc, dest, cast<RankedTensorType>(linear.getResult().getType()).getShape()));
}
