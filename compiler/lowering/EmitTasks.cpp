//===- EmitTasks.cpp - tasks, and loops over rows -------------------------===//

#include "Emit.h"
#include "TileOfEach.h"

#include "ClassNotes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

ResultRange heddle::emitTaskParts(OpBuilder &b, Location loc, ArrayRef<Extent> counts, ValueRange dests,
                                  function_ref<SmallVector<TaskPart>(OpBuilder &, ValueRange, ValueRange)> body) {
  SmallVector<OpFoldResult> from(counts.size(), b.getIndexAttr(0)), step(counts.size(), b.getIndexAttr(1));
  auto to = llvm::map_to_vector(counts, [&](const Extent &count) { return count.emit(b, loc); });
  auto forall = scf::ForallOp::create(b, loc, from, to, step, dests, std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(forall.getTerminator());
  SmallVector<TaskPart> parts = body(b, forall.getInductionVars(), forall.getRegionOutArgs());
  b.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [part, out] : llvm::zip_equal(parts, forall.getRegionOutArgs())) {
    SmallVector<OpFoldResult> ones(part.sizes.size(), b.getIndexAttr(1));
    tensor::ParallelInsertSliceOp::create(b, loc, part.part, out, part.offsets, part.sizes, ones);
  }
  return forall.getResults();
}

Value heddle::emitTaskParts(OpBuilder &b, Location loc, ArrayRef<Extent> counts, Value dest,
                            function_ref<TaskPart(OpBuilder &, ValueRange, Value)> body) {
  auto single = [&](OpBuilder &inner, ValueRange ivs, ValueRange outs) {
    return SmallVector<TaskPart>{body(inner, ivs, outs.front())};
  };
  return emitTaskParts(b, loc, counts, ValueRange(dest), single)[0];
}

Value heddle::emitTasks(OpBuilder &b, Location loc, ArrayRef<Extent> counts, Value dest, ArrayRef<int64_t> sizes,
                        function_ref<TaskTile(OpBuilder &, ValueRange, Value)> body) {
  return emitTaskParts(b, loc, counts, dest, [&](OpBuilder &inner, ValueRange ivs, Value out) {
    TaskTile result = body(inner, ivs, out);
    SmallVector<int64_t> part(sizes);
    llvm::replace(part, 0, 1);
    return TaskPart{result.tile, result.offsets, getAsIndexOpFoldResult(b.getContext(), part)};
  });
}

/// Emits the loop for a fixed number of rows: whole tiles, then a tile with the remaining rows.
static SmallVector<Value> emitFixedRows(OpBuilder &b, Location loc, const Extent &rows, int64_t step,
                                        ValueRange targets, RowLoopBody body) {
  int64_t full = rows.wholeSteps(step), rest = rows.rest(step);
  SmallVector<Value> done(targets);
  if (full == step) {
    done = body(b, b.getIndexAttr(0), step, done);
  } else if (full) {
    auto bound = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
    auto loop = scf::ForOp::create(b, loc, bound(0), bound(full), bound(step), done,
                                   [&](OpBuilder &inner, Location, Value row, ValueRange carried) {
                                     SmallVector<Value> next = body(inner, row, step, carried);
                                     scf::YieldOp::create(inner, loc, next);
                                   });
    done = llvm::to_vector_of<Value>(loop.getResults());
  }
  return rest ? body(b, b.getIndexAttr(full), rest, done) : done;
}

/// Emits the loop for a number of rows that is known only at run time: tiles of `step` rows, the last of which ends
/// with the last row. If there are fewer than `step` rows, the emitted code uses tiles of half as many rows, and so on.
static SmallVector<Value> emitAnyRows(OpBuilder &b, Location loc, Value rows, int64_t step, ValueRange targets,
                                      RowLoopBody body) {
  auto constant = [&](OpBuilder &at, int64_t value) -> Value { return arith::ConstantIndexOp::create(at, loc, value); };
  auto tiles = [&](OpBuilder &at) -> SmallVector<Value> {
    Value last = arith::SubIOp::create(at, loc, rows, constant(at, step));
    auto loop = scf::ForOp::create(at, loc, constant(at, 0), rows, constant(at, step), targets,
                                   [&](OpBuilder &inner, Location, Value row, ValueRange carried) {
                                     Value first = step == 1 ? row : arith::MinSIOp::create(inner, loc, row, last);
                                     SmallVector<Value> next = body(inner, first, step, carried);
                                     scf::YieldOp::create(inner, loc, next);
                                   });
    return llvm::to_vector_of<Value>(loop.getResults());
  };
  if (step == 1)
    return tiles(b);
  Value enough = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, rows, constant(b, step));
  auto choice = scf::IfOp::create(
      b, loc, enough, [&](OpBuilder &at, Location) { scf::YieldOp::create(at, loc, tiles(at)); },
      [&](OpBuilder &at, Location) {
        scf::YieldOp::create(at, loc, emitAnyRows(at, loc, rows, step / 2, targets, body));
      });
  return llvm::to_vector_of<Value>(choice.getResults());
}

bool heddle::hasTileOfEach(OpBuilder &b, const Extent &rows, int64_t step) {
  if (rows.isFixed() || rows.low() < 1 || rows.high() > step)
    return false;
  Operation *around = b.getInsertionBlock()->getParentOp(); // null if the surrounding loop is still being built
  auto module = around ? around->getParentOfType<ModuleOp>() : ModuleOp();
  return module && notes::mergedWeights.has(module); // set if there are several classes of sizes
}

/// Emits one tile that contains all `rows` rows. The number of rows is a run-time value from `minimum` to `maximum`,
/// and the emitted code has a variant for each of these numbers.
static SmallVector<Value> emitTileOfEach(OpBuilder &b, Location loc, Value rows, int64_t minimum, int64_t maximum,
                                         ValueRange targets, RowLoopBody body) {
  if (minimum == maximum)
    return body(b, b.getIndexAttr(0), maximum, targets);
  Value number = arith::ConstantIndexOp::create(b, loc, maximum);
  Value isMax = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rows, number);
  auto choice = scf::IfOp::create(
      b, loc, isMax,
      [&](OpBuilder &at, Location) { scf::YieldOp::create(at, loc, body(at, at.getIndexAttr(0), maximum, targets)); },
      [&](OpBuilder &at, Location) {
        scf::YieldOp::create(at, loc, emitTileOfEach(at, loc, rows, minimum, maximum - 1, targets, body));
      });
  return llvm::to_vector_of<Value>(choice.getResults());
}

SmallVector<Value> heddle::emitRowLoop(OpBuilder &b, Location loc, const Extent &rows, int64_t step,
                                       ValueRange targets, RowLoopBody body) {
  if (hasTileOfEach(b, rows, step))
    return emitTileOfEach(b, loc, rows.emitValue(b, loc), rows.low(), rows.high(), targets, body);
  return rows.isFixed() ? emitFixedRows(b, loc, rows, step, targets, body)
                        : emitAnyRows(b, loc, rows.emitValue(b, loc), step, targets, body);
}

Value heddle::emitRowLoop(OpBuilder &b, Location loc, const Extent &rows, int64_t step, Value target,
                          function_ref<Value(OpBuilder &, OpFoldResult, int64_t, Value)> body) {
  auto single = [&](OpBuilder &inner, OpFoldResult row, int64_t count, ValueRange targets) {
    return SmallVector<Value>{body(inner, row, count, targets.front())};
  };
  return emitRowLoop(b, loc, rows, step, ValueRange(target), single).front();
}

RowShare heddle::emitShare(OpBuilder &b, Location loc, const Extent &rows, int64_t unit, const Extent &shares,
                           Value number) {
  Value all = rows.emitValue(b, loc), count = shares.emitValue(b, loc);
  Value size = arith::ConstantIndexOp::create(b, loc, unit);
  Value units = arith::CeilDivUIOp::create(b, loc, all, size);
  auto start = [&](Value which) -> Value {
    Value before = arith::DivUIOp::create(b, loc, arith::MulIOp::create(b, loc, which, units), count);
    return arith::MulIOp::create(b, loc, before, size);
  };
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value first = start(number), next = start(arith::AddIOp::create(b, loc, number, one));
  Value end = arith::MinUIOp::create(b, loc, next, all);
  return {first, Value(arith::SubIOp::create(b, loc, end, first))};
}

RowBlocks heddle::cutRows(int64_t rows, int64_t unit, int64_t wanted) {
  int64_t units = llvm::divideCeil(rows, unit);
  int64_t size = std::min<int64_t>(rows, llvm::divideCeil(units, std::clamp<int64_t>(wanted, 1, units)) * unit);
  return {rows / size, size, rows % size};
}
