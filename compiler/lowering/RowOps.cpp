//===- RowOps.cpp - linalg on tiles of rows -------------------------------===//

#include "RowOps.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Returns the indexing map of an operand over the loops (row, column).
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

ValueRange heddle::emitOfEachRow(OpBuilder &b, ValueRange inputs, ValueRange outputs, RowBody body) {
  SmallVector<AffineMap> maps(inputs.size() + outputs.size(), b.getMultiDimIdentityMap(1));
  return linalg::GenericOp::create(b, outputs.front().getLoc(), outputs.getTypes(), inputs, outputs, maps,
                                   utils::IteratorType::parallel,
                                   [&](OpBuilder &inner, Location loc, ValueRange arguments) {
                                     linalg::YieldOp::create(inner, loc, body(inner, arguments));
                                   })
      .getResults();
}

void heddle::emitRowByRow(ValueRange results) {
  notes::rowByRow.set(results.front().getDefiningOp());
}

void heddle::requestStreaming(Operation *op) {
  notes::streamResults.set(op->getParentOfType<func::FuncOp>());
}

Value heddle::emitFilled(OpBuilder &b, Location loc, int64_t size, Type element, double value) {
  Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{size}, element);
  return linalg::FillOp::create(b, loc, emitFloat(b, loc, element, value), empty).getResult(0);
}

/// The amount of work for which about one task is emitted, as a number of elements.
static constexpr int64_t taskElements = 24576;

/// Returns the rows of tile `number` if `rows` rows are divided into tiles of `step` rows. The last tile may have fewer
/// rows.
static RowShare emitTileShare(OpBuilder &b, Location loc, const Extent &rows, int64_t step, Value number) {
  Value size = arith::ConstantIndexOp::create(b, loc, step), first = arith::MulIOp::create(b, loc, number, size);
  Value left = arith::SubIOp::create(b, loc, rows.emitValue(b, loc), first);
  return {first, Value(arith::MinUIOp::create(b, loc, left, size))};
}

/// Returns the offsets of a slice of `all` [rows, ..] that begins at row `row`.
static SmallVector<OpFoldResult> placeOf(OpBuilder &b, Value all, OpFoldResult row) {
  SmallVector<OpFoldResult> place(cast<RankedTensorType>(all.getType()).getRank(), b.getIndexAttr(0));
  place.front() = row;
  return place;
}
/// Returns the sizes of a slice of `all` [rows, ..] that has `rows` rows.
static SmallVector<int64_t> sizeOf(Value all, int64_t rows) {
  SmallVector<int64_t> size(cast<RankedTensorType>(all.getType()).getShape());
  size.front() = rows;
  return size;
}

namespace {
/// Emits tasks over the rows of some destinations.
struct RowTasks {
  OpBuilder &b;
  Location loc;
  // `columns`: the work of a row, as a number of elements. `step`: the maximum number of rows of a tile.
  int64_t columns, step;
  bool apart;       // each tile is a task
  RowLoopBody body; // computes a tile

  SmallVector<Value> tile(OpBuilder &inner, OpFoldResult row, OpFoldResult at, int64_t rows, ValueRange carried);
  SmallVector<Value> fixed(int64_t first, const Extent &count, int64_t size, ValueRange dests);
  SmallVector<Value> any(const Extent &all, ValueRange dests);
};
} // namespace

/// Emits a tile of `rows` rows. `at` is its first row within the task, and `row` is the first row of the task within
/// the destinations. `carried` are the task's slices of the destinations; returns them with the tile inserted.
SmallVector<Value> RowTasks::tile(OpBuilder &inner, OpFoldResult row, OpFoldResult at, int64_t rows,
                                  ValueRange carried) {
  AffineExpr sum = inner.getAffineDimExpr(0) + inner.getAffineDimExpr(1);
  OpFoldResult place = affine::makeComposedFoldedAffineApply(inner, loc, AffineMap::get(2, 0, sum), {row, at});
  auto parts = llvm::map_to_vector(
      carried, [&](Value all) { return emitSlice(inner, loc, all, placeOf(inner, all, at), sizeOf(all, rows)); });
  SmallVector<Value> tiles = body(inner, place, rows, parts);
  for (auto [result, all] : llvm::zip_equal(tiles, carried))
    result = emitInsert(inner, loc, result, all, placeOf(inner, all, at), sizeOf(all, rows));
  return tiles;
}

/// Emits `count` tasks of `size` rows each, from row `first` on, and returns the written destinations.
SmallVector<Value> RowTasks::fixed(int64_t first, const Extent &count, int64_t size, ValueRange dests) {
  auto emit = [&](OpBuilder &, ValueRange ivs, ValueRange outs) {
    OpFoldResult row = emitAffine(b, loc, ivs[0], size, first);
    auto targets = llvm::map_to_vector(
        outs, [&](Value out) { return emitSlice(b, loc, out, placeOf(b, out, row), sizeOf(out, size)); });
    SmallVector<Value> results =
        emitRowLoop(b, loc, size, std::min(step, size), targets,
                    [&](OpBuilder &inner, OpFoldResult at, int64_t rows, ValueRange carried) {
                      return tile(inner, row, at, rows, carried);
                    });
    SmallVector<TaskPart> parts;
    for (auto [result, out] : llvm::zip_equal(results, outs))
      parts.push_back({result, placeOf(b, out, row), getAsIndexOpFoldResult(b.getContext(), sizeOf(out, size))});
    return parts;
  };
  return llvm::to_vector_of<Value>(emitTaskParts(b, loc, count, dests, emit));
}

/// Emits the tasks for a number of rows that is known only at run time, and returns the written destinations. With
/// `apart`, each tile is a task. Otherwise, there are at most 32 tasks of whole tiles, and more than one only if there
/// is more work than `taskElements`.
SmallVector<Value> RowTasks::any(const Extent &all, ValueRange dests) {
  Extent rows = all.emitOnce(b, loc);
  AffineExpr n = b.getAffineDimExpr(0);
  AffineExpr worth = (n * columns).ceilDiv(taskElements), units = n.ceilDiv(step),
             maximum = b.getAffineConstantExpr(32);
  SmallVector<AffineExpr> counts = {worth, units, maximum};
  if (apart)
    counts = {units};
  Extent tasks =
      affine::makeComposedFoldedAffineMin(b, loc, AffineMap::get(1, 0, counts, b.getContext()), {rows.emit(b, loc)});
  auto emit = [&](OpBuilder &, ValueRange ivs, ValueRange outs) {
    RowShare share = apart ? emitTileShare(b, loc, rows, step, ivs[0]) : emitShare(b, loc, rows, step, tasks, ivs[0]);
    SmallVector<TaskPart> parts;
    SmallVector<Value> targets;
    for (Value out : outs) {
      TaskPart part = {Value(), placeOf(b, out, share.first), {}};
      part.sizes = getAsIndexOpFoldResult(b.getContext(), sizeOf(out, 1));
      part.sizes.front() = share.count.emit(b, loc);
      SmallVector<OpFoldResult> ones(part.sizes.size(), b.getIndexAttr(1));
      targets.push_back(tensor::ExtractSliceOp::create(b, loc, out, part.offsets, part.sizes, ones));
      parts.push_back(std::move(part));
    }
    SmallVector<Value> results = emitRowLoop(b, loc, share.count, step, targets,
                                             [&](OpBuilder &inner, OpFoldResult at, int64_t count, ValueRange carried) {
                                               return tile(inner, share.first, at, count, carried);
                                             });
    for (auto [part, result] : llvm::zip_equal(parts, results))
      part.part = result;
    return parts;
  };
  return llvm::to_vector_of<Value>(emitTaskParts(b, loc, tasks, dests, emit));
}

/// Emits the tasks of emitRowTasks. `bytes` is the number of bytes of a row.
static SmallVector<Value> emitRowTasksOf(OpBuilder &b, Location loc, ValueRange dests, int64_t columns, int64_t bytes,
                                         int64_t step, bool apart, RowLoopBody body) {
  int64_t rows = cast<RankedTensorType>(dests.front().getType()).getDimSize(0);
  // Additions for several rows of a tile are independent and hide each other's latency. But the input and the result of
  // a tile should fit into the first-level cache (32 KiB).
  while (step > 4 && 2 * step * bytes > 32768)
    step /= 2;
  // The wanted number of tasks is a power of two, so that 2, 4 or 8 threads get equal shares.
  int64_t wanted = std::min<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(rows * columns, taskElements)), 32);
  RowTasks tasks = {b, loc, columns, step, apart, body};
  Extent extent = Sizes(b.getInsertionBlock()->getParentOp()).of(rows);
  if (!extent.isFixed() && !(apart && step == 1))
    return tasks.any(extent, dests);
  RowBlocks blocks = cutRows(rows, std::min(step, rows), apart ? rows : wanted);
  SmallVector<Value> results =
      tasks.fixed(0, extent.isFixed() ? Extent(blocks.blocks) : extent, blocks.size, dests);
  if (blocks.rest)
    results = tasks.fixed(blocks.blocks * blocks.size, 1, blocks.rest, results);
  return results;
}

SmallVector<Value> heddle::emitRowTasks(OpBuilder &b, Location loc, ValueRange dests, int64_t columns, int64_t step,
                                        RowLoopBody body) {
  return emitRowTasksOf(b, loc, dests, columns, columns * 4, step, /*apart=*/false, body);
}

Value heddle::emitRowTasks(OpBuilder &b, Location loc, Value dest, int64_t step, bool apart,
                           function_ref<Value(OpBuilder &, OpFoldResult, int64_t, Value)> body) {
  auto type = cast<RankedTensorType>(dest.getType());
  int64_t columns = type.getDimSize(1), bytes = columns * type.getElementTypeBitWidth() / 8;
  auto single = [&](OpBuilder &inner, OpFoldResult row, int64_t count, ValueRange targets) {
    return SmallVector<Value>{body(inner, row, count, targets.front())};
  };
  return emitRowTasksOf(b, loc, ValueRange(dest), columns, bytes, step, apart, single).front();
}
