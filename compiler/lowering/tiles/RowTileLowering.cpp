//===- RowTileLowering.cpp - softmax and norms of rows in registers -------===//
//
// A workgroup computes some rows. It copies them into registers, where a row
// belongs to a warp, to some lanes of a warp or to several warps, and writes
// only the result. Each emitted operation is executed by all threads of the
// workgroup together; the places of the tiles determine which lane has which
// element.
//
//===----------------------------------------------------------------------===//

#include "RowTileLowering.h"
#include "RowOps.h"
#include "TileParts.h"
#include "Widened.h"

#include "Sizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace heddle;

static constexpr int64_t maxWidth = FragmentKind::widestAccess / 32; // the maximum number of f32 elements in an access
/// The number of warps whose instructions a multiprocessor executes at a time. With fewer warps, it is partly idle.
static constexpr int64_t warpsAtATime = 4;
/// If a workgroup has at most this number of rows, the code tests whether any of them is active before it reads them.
static constexpr int64_t maxTestedRows = 8;
/// The number of lanes that share a row is doubled until each has at most this number of elements, or until all lanes
/// of the warp share the row.
static constexpr int64_t maxElementsOfRow = 64;

LayerRows LayerRows::of(Operation *layer) {
  auto type = cast<RankedTensorType>(layer->getResult(0).getType());
  int64_t dimension = type.getRank() - 1, columns = type.getShape().back();
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(layer)) {
    dimension = int64_t(softmax.getDimension());
    columns = type.getDimSize(dimension);
  }
  int64_t rows = 1;
  for (int64_t extent : type.getShape().take_front(dimension))
    rows *= extent;
  Sizes sizes(layer);
  return {sizes.of(rows), sizes.of(columns)};
}

RowBlock RowBlock::of(const LayerRows &rows, const RowBlockLimits &limits) {
  // Each row begins at a multiple of this number of elements, even if the length of rows lies in a range.
  int64_t unit = rows.columns.isFixed() ? rows.columns.number() : rows.columns.factor();
  RowBlock block;
  block.width = std::gcd(unit, maxWidth);
  block.down = 1;
  int64_t longest = rows.columns.high(), count = rows.rows.high();
  int64_t most = limits.lanes;
  while (most < FragmentKind::lanes && longest > most * maxElementsOfRow)
    most *= 2;
  block.lanes = std::min<int64_t>(most, llvm::PowerOf2Ceil(llvm::divideCeil(longest, block.width)));
  block.warpColumns = 1;
  int64_t warps = std::min({limits.warps, longest / limits.columns, warpsAtATime * limits.blocks / count});
  while (2 * block.warpColumns <= warps)
    block.warpColumns *= 2;
  block.columns = llvm::alignTo(longest, block.warpColumns * block.lanes * block.width);
  block.warpRows = limits.warps / block.warpColumns;
  while (block.warpRows % 2 == 0 && llvm::divideCeilSigned(count, block.getRows()) < limits.blocks)
    block.warpRows /= 2;
  return block;
}

void RowBlock::addRows(const LayerRows &rows, int64_t blocks, int64_t maxRows) {
  while (2 * countElements() <= maxElements && 2 * getRows() <= maxRows &&
         llvm::divideCeilSigned(rows.rows.low(), 2 * getRows()) >= blocks)
    down *= 2;
}

RowTileLowering::RowTileLowering(RewriterBase &b, Operation *layer, const RowBlockLimits &limits)
    : b(b), layer(layer), loc(layer->getLoc()), norm(NormLayer::of(layer)), extents(LayerRows::of(layer)),
      limits(limits), block(RowBlock::of(extents, limits)) {}

/// Returns a new tensor in registers.
Value RowTileLowering::allocate(ArrayRef<int64_t> shape) {
  Type element = getElementTypeOrSelf(dest);
  auto alloc = bufferization::AllocTensorOp::create(b, loc, RankedTensorType::get(shape, element), ValueRange());
  auto kind = RowsAttr::get(b.getContext(), element, block.lanes, block.width);
  alloc.setMemorySpaceAttr(FragmentsAttr::get(b.getContext(), kind, block.warpRows, block.warpColumns));
  return alloc;
}

/// Returns the slice of a tensor in registers that begins at index 0 in each dimension and has these sizes.
Value RowTileLowering::firstOf(Value tile, ArrayRef<OpFoldResult> sizes) {
  bool isWhole = llvm::all_of(llvm::zip(cast<RankedTensorType>(tile.getType()).getShape(), sizes),
                              [](auto pair) { return isConstantIntValue(std::get<1>(pair), std::get<0>(pair)); });
  SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0));
  return isWhole ? tile : emitPart(b, loc, tile, zeros, sizes);
}

/// Returns 0 if none of the `height` rows from `firstRow` on is active, else `height`. If a block has more than
/// `maxTestedRows` rows, does not test them and returns `height`.
OpFoldResult RowTileLowering::countActive(OpFoldResult firstRow, OpFoldResult height) {
  if (!active || block.getRows() > maxTestedRows)
    return height;
  Value any;
  AffineExpr first = b.getAffineDimExpr(0), count = b.getAffineDimExpr(1);
  for (int64_t i = 0; i < block.getRows(); ++i) {
    // Instead of rows beyond the last one, the last row is tested again.
    AffineMap map = AffineMap::get(2, 0, {first + i, first + count - 1}, b.getContext());
    OpFoldResult row = affine::makeComposedFoldedAffineMin(b, loc, map, {firstRow, height});
    Value flag = tensor::ExtractOp::create(b, loc, active->flags, getValueOrCreateConstantIndexOp(b, loc, row));
    any = any ? Value(arith::OrIOp::create(b, loc, any, flag)) : flag;
  }
  Value none = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
  Value isActive = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, any, none);
  auto constant = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, loc, value); };
  return Value(arith::SelectOp::create(b, loc, isActive, constant(height), constant(b.getIndexAttr(0))));
}

/// Copies the rows of a block into registers and adds their residual. Does not read the rows of the input if none of
/// them is active.
Value RowTileLowering::emitInput(OpFoldResult firstRow, OpFoldResult height) {
  OpFoldResult zero = b.getIndexAttr(0), width = extents.columns.emit(b, loc);
  Value tile = allocate({block.getRows(), block.columns});
  auto values = [&](ArrayRef<OpFoldResult> indices) { return getValueOrCreateConstantIndexOp(b, loc, indices); };
  OpFoldResult read = countActive(firstRow, height);
  bool isWhole = isConstantIntValue(read, block.getRows()) && isConstantIntValue(width, block.columns);
  SmallVector<Value> valid = isWhole ? SmallVector<Value>() : values({read, width});
  tile = TileCopyOp::create(b, loc, tile.getType(), input, values({firstRow, zero}), valid, tile).getResult();
  Value rows = firstOf(tile, {height, width});
  if (!residual)
    return rows;
  return emitRowOp(b, loc, {{emitPart(b, loc, residual, {firstRow, zero}, {height, width}), RowAccess::Tile}},
                   {{rows, RowAccess::Tile}}, [&](OpBuilder &body, ValueRange arguments) {
                     Value addend = emitExtended(body, loc, arguments[0], arguments[1].getType());
                     return SmallVector<Value>{arith::AddFOp::create(body, loc, arguments[1], addend)};
                   })[0];
}

/// Emits the task that computes the rows of block `number`. Returns them with their position in the result.
TaskPart RowTileLowering::emitBlock(Value number, Value out) {
  OpFoldResult zero = b.getIndexAttr(0), width = extents.columns.emit(b, loc);
  OpFoldResult firstRow = emitAffine(b, loc, number, block.getRows(), 0);
  OpFoldResult height = emitCountFrom(b, loc, firstRow, extents.rows, block.getRows());
  SmallVector<OpFoldResult> place = {firstRow, zero}, sizes = {height, width};
  Value x = emitInput(firstRow, height), target = emitPart(b, loc, out, place, sizes);
  auto start = [&](double value) {
    Value sums = allocate(block.getRows());
    Value number = emitFloat(b, loc, getElementTypeOrSelf(sums), value);
    return firstOf(linalg::FillOp::create(b, loc, number, sums).getResult(0), height);
  };
  if (!norm) {
    SoftmaxTile tile = {x, target};
    tile.inPlace = true;
    return {emitSoftmaxTile(b, loc, tile, start), place, sizes};
  }
  Value flags = emitPart(b, loc, active ? active->flags : Value(), {firstRow}, {height});
  NormTile tile = {x, Value(), flags, target, extents.columns.number(), /*streams=*/false};
  return {emitNormTile(b, loc, *norm, tile, start), place, sizes};
}

void RowTileLowering::run() {
  auto type = cast<RankedTensorType>(layer->getResult(0).getType());
  Value result = layer->getResult(0);
  SmallVector<int64_t> shape = {extents.rows.inTypes(), extents.columns.inTypes()};
  if (norm)
    active = findActiveRows(b, result);
  // With an activity mask, blocks do not grow beyond `maxTestedRows` rows, so they can skip rows that are not active.
  // This saves more than sharing the reads of scale and bias among more rows.
  if (norm && (norm->scale || norm->bias))
    block.addRows(extents, limits.blocks, active ? maxTestedRows : std::numeric_limits<int64_t>::max());
  input = emitReshape(b, loc, norm ? norm->input : cast<linalg::SoftmaxOp>(layer).getInput(), shape);
  if (norm) { // elements that are stored in a narrower type are widened where they are used
    for (Value *operand : {&norm->scale, &norm->bias})
      *operand = *operand ? emitStored(b, *operand) : Value();
    residual = norm->residual ? emitReshape(b, loc, emitStored(b, norm->residual), shape) : Value();
  }
  Value whole = active ? active->result() : result;
  dest = emitDestination(b, whole, RankedTensorType::get(shape, type.getElementType()));
  extents.rows = extents.rows.emitOnce(b, loc);
  extents.columns = extents.columns.emitOnce(b, loc);
  OpFoldResult count = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(1, 0, b.getAffineDimExpr(0).ceilDiv(block.getRows())), {extents.rows.emit(b, loc)});
  dest = emitTaskParts(b, loc, {Extent(count)}, dest,
                       [&](OpBuilder &, ValueRange at, Value out) { return emitBlock(at[0], out); });
  if (active)
    return replaceSelected(b, layer, *active, dest);
  b.replaceOp(layer, emitReshape(b, loc, dest, type.getShape()));
}
