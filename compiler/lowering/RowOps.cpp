//===- RowOps.cpp - linalg on tiles of rows -------------------------------===//

#include "RowOps.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

static AffineMap mapOf(OpBuilder &b, RowAccess access) {
  switch (access) {
  case RowAccess::Tile:
    return b.getMultiDimIdentityMap(2);
  case RowAccess::Row:
    return AffineMap::get(2, 0, b.getAffineDimExpr(0));
  case RowAccess::Column:
    return AffineMap::get(2, 0, b.getAffineDimExpr(1));
  }
  llvm_unreachable("all kinds of access are handled");
}

ValueRange heddle::emitRowOp(OpBuilder &b, Location loc, ArrayRef<RowInput> inputs, ArrayRef<RowInput> outputs,
                             RowBody body) {
  SmallVector<Value> ins, outs;
  SmallVector<Type> types;
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  for (RowInput input : inputs) {
    ins.push_back(input.value);
    maps.push_back(mapOf(b, input.access));
  }
  for (RowInput output : outputs) {
    outs.push_back(output.value);
    types.push_back(output.value.getType());
    maps.push_back(mapOf(b, output.access));
    if (output.access != RowAccess::Tile)
      iterators[output.access == RowAccess::Row ? 1 : 0] = utils::IteratorType::reduction;
  }
  auto generic = linalg::GenericOp::create(b, loc, types, ins, outs, maps, iterators,
                                           [&](OpBuilder &inner, Location, ValueRange arguments) {
                                             linalg::YieldOp::create(inner, loc, body(inner, arguments));
                                           });
  return generic.getResults();
}

void heddle::emitRowByRow(ValueRange results) {
  notes::rowByRow.set(results.front().getDefiningOp());
}

void heddle::askForStreaming(Operation *op) {
  notes::streamResults.set(op->getParentOfType<func::FuncOp>());
}

Value heddle::emitFilled(OpBuilder &b, Location loc, int64_t size, Type element, double value) {
  Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{size}, element);
  return linalg::FillOp::create(b, loc, emitFloat(b, loc, element, value), empty).getResult(0);
}

/// A task should be worth handing out.
static constexpr int64_t taskElements = 24576;

/// Tile `number` of `step` rows, the last one of what is left.
static RowShare emitTileShare(OpBuilder &b, Location loc, const Extent &rows, int64_t step, Value number) {
  Value size = arith::ConstantIndexOp::create(b, loc, step), first = arith::MulIOp::create(b, loc, number, size);
  Value left = arith::SubIOp::create(b, loc, rows.emitValue(b, loc), first);
  return {first, Value(arith::MinUIOp::create(b, loc, left, size))};
}

/// The tasks of a number of rows that only the call knows: as many as are worth it, at most 32, of whole tiles. Apart:
/// one for each tile.
static Value emitAnyRowTasks(OpBuilder &b, Location loc, Value dest, const Extent &all, int64_t step, bool apart,
                             function_ref<Value(OpBuilder &, OpFoldResult, OpFoldResult, int64_t, Value)> emitTile) {
  int64_t columns = cast<RankedTensorType>(dest.getType()).getDimSize(1);
  Extent rows = all.emitOnce(b, loc);
  OpFoldResult zero = b.getIndexAttr(0);
  AffineExpr n = b.getAffineDimExpr(0);
  AffineExpr worth = (n * columns).ceilDiv(taskElements), units = n.ceilDiv(step), most = b.getAffineConstantExpr(32);
  SmallVector<AffineExpr> counts = {worth, units, most};
  if (apart)
    counts = {units};
  Extent tasks =
      affine::makeComposedFoldedAffineMin(b, loc, AffineMap::get(1, 0, counts, b.getContext()), {rows.emit(b, loc)});
  return emitTaskParts(b, loc, tasks, dest, [&](OpBuilder &, ValueRange ivs, Value out) {
    RowShare share = apart ? emitTileShare(b, loc, rows, step, ivs[0]) : emitShare(b, loc, rows, step, tasks, ivs[0]);
    SmallVector<OpFoldResult> offsets = {share.first, zero},
                              sizes = {share.count.emit(b, loc), b.getIndexAttr(columns)};
    SmallVector<OpFoldResult> ones(2, b.getIndexAttr(1));
    Value target = tensor::ExtractSliceOp::create(b, loc, out, offsets, sizes, ones);
    Value result = emitRowLoop(b, loc, share.count, step, target,
                               [&](OpBuilder &inner, OpFoldResult at, int64_t tile, Value carried) {
                                 return emitTile(inner, share.first, at, tile, carried);
                               });
    return TaskPart{result, offsets, sizes};
  });
}

Value heddle::emitRowTasks(OpBuilder &b, Location loc, Value dest, int64_t step, bool apart,
                           function_ref<Value(OpBuilder &, OpFoldResult, int64_t, Value)> body) {
  auto type = cast<RankedTensorType>(dest.getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  // Rows side by side hide the latency of their sums, best where what is read and written
  // of them stays in the first cache (32 KiB).
  int64_t bytes = columns * type.getElementTypeBitWidth() / 8;
  while (step > 4 && 2 * step * bytes > 32768)
    step /= 2;
  // Even shares for 2, 4, 8 threads.
  int64_t wanted = std::min<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(rows * columns, taskElements)), 32);
  OpFoldResult zero = b.getIndexAttr(0);
  // Tile `at` of a task that begins at `row`.
  auto emitTile = [&](OpBuilder &inner, OpFoldResult row, OpFoldResult at, int64_t tile, Value carried) {
    AffineExpr sum = inner.getAffineDimExpr(0) + inner.getAffineDimExpr(1);
    OpFoldResult place = affine::makeComposedFoldedAffineApply(inner, loc, AffineMap::get(2, 0, sum), {row, at});
    Value part = emitSlice(inner, loc, carried, {at, zero}, {tile, columns});
    return emitInsert(inner, loc, body(inner, place, tile, part), carried, {at, zero}, {tile, columns});
  };
  Extent extent = Sizes(b.getInsertionBlock()->getParentOp()).of(rows);
  if (!extent.isFixed() && !(apart && step == 1))
    return emitAnyRowTasks(b, loc, dest, extent, step, apart, emitTile);
  RowBlocks blocks = cutRows(rows, std::min(step, rows), apart ? rows : wanted);
  auto emit = [&](int64_t first, const Extent &count, int64_t size) {
    dest = emitTasks(b, loc, count, dest, {size, columns}, [&](OpBuilder &, ValueRange ivs, Value out) {
      OpFoldResult row = emitAffine(b, loc, ivs[0], size, first);
      Value target = emitSlice(b, loc, out, {row, zero}, {size, columns});
      Value result = emitRowLoop(b, loc, size, std::min(step, size), target,
                                 [&](OpBuilder &inner, OpFoldResult at, int64_t tile, Value carried) {
                                   return emitTile(inner, row, at, tile, carried);
                                 });
      return TaskTile{result, {row, zero}};
    });
  };
  emit(0, extent.isFixed() ? blocks.blocks : extent, blocks.size);
  if (blocks.rest)
    emit(blocks.blocks * blocks.size, 1, blocks.rest);
  return dest;
}
