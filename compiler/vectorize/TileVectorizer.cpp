//===- TileVectorizer.cpp - linalg on static tiles as vectors -------------===//

#include "TileVectorizer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

LogicalResult TileVectorizer::vectorize(linalg::LinalgOp target) {
  op = target;
  loc = op.getLoc();
  failed = false;
  b.setInsertionPoint(op);
  if (!op.hasPureTensorSemantics())
    return op.emitError() << "vectorises tensors";
  FailureOr<TilePlan> made = makePlan();
  if (mlir::failed(made))
    return failure();
  plan = std::move(*made);
  halves = usesHalves();

  accumulated.clear();
  streamed.clear();
  bool reduces = llvm::is_contained(plan.reduction, true);
  for (unsigned output = 0; output < op.getNumDpsInits(); ++output) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(output));
    bool whole = true;
    for (unsigned d = 0; d < plan.sizes.size(); ++d)
      whole &= !plan.reduction[d] || map.isFunctionOfDim(d);
    (reduces && !whole ? accumulated : streamed).push_back(output);
  }
  recording = plan.outer.empty() && plan.blocked < 0;
  recorded.assign(op.getNumDpsInits(), RegisterTile());

  TilePoint origin;
  origin.at.assign(plan.sizes.size(), b.getIndexAttr(0));
  Values results = emitOuter(0, origin, Values(op.getDpsInits()));
  if (failed)
    return failure();
  for (auto [result, tile] : llvm::zip(results, recorded)) {
    tile.block = op->getBlock();
    if (!tile.parts.empty())
      registers[result] = std::move(tile);
  }
  b.replaceOp(op, results);
  return success();
}

TileVectorizer::Values TileVectorizer::loop(int64_t from, int64_t to, int64_t step, Values inits,
                                            function_ref<Values(OpFoldResult, Values)> body) {
  if (from >= to)
    return inits;
  if (to - from <= step)
    return body(b.getIndexAttr(from), inits);
  bool outerRecording = std::exchange(recording, false);
  auto bound = [&](int64_t value) { return toValue(b.getIndexAttr(value)); };
  auto forOp = scf::ForOp::create(b, loc, bound(from), bound(to), bound(step), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    if (!forOp.getBody()->empty())
      b.eraseOp(forOp.getBody()->getTerminator());
    b.setInsertionPointToStart(forOp.getBody());
    Values yielded = body(forOp.getInductionVar(), Values(forOp.getRegionIterArgs()));
    scf::YieldOp::create(b, loc, yielded);
  }
  recording = outerRecording;
  return Values(forOp.getResults());
}

TileVectorizer::Values TileVectorizer::emitOuter(unsigned depth, TilePoint point, Values outs) {
  if (depth == plan.outer.size())
    return emitBlocked(point, outs);
  unsigned d = plan.outer[depth];
  return loop(0, plan.sizes[d], 1, outs, [&](OpFoldResult at, Values carried) {
    TilePoint inner = point;
    inner.at[d] = at;
    return emitOuter(depth + 1, inner, carried);
  });
}

TileVectorizer::Values TileVectorizer::emitBlocked(TilePoint point, Values outs) {
  if (plan.blocked < 0)
    return emitLanes(point, outs);
  int64_t size = plan.sizes[plan.blocked], full = size / plan.block * plan.block;
  auto run = [&](OpFoldResult at, int64_t rows, Values carried) {
    TilePoint inner = point;
    inner.at[plan.blocked] = at;
    inner.rows = rows;
    return emitLanes(inner, carried);
  };
  outs = loop(0, full, plan.block, outs,
              [&](OpFoldResult at, Values carried) { return run(at, plan.block, carried); });
  return full == size ? outs : run(b.getIndexAttr(full), size - full, outs);
}

TileVectorizer::Values TileVectorizer::emitLanes(TilePoint point, Values outs) {
  if (plan.lane < 0 || plan.laneReduced)
    return emitBlock(point, 1, outs);
  int64_t size = plan.sizes[plan.lane], chunk = plan.vectors * lanes, full = size / chunk * chunk;
  auto run = [&](OpFoldResult at, int64_t count, Values carried) {
    TilePoint inner = point;
    inner.at[plan.lane] = at;
    return emitBlock(inner, count, carried);
  };
  outs = loop(0, full, chunk, outs, [&](OpFoldResult at, Values carried) { return run(at, chunk, carried); });
  return full == size ? outs : run(b.getIndexAttr(full), size - full, outs);
}

TileVectorizer::Values TileVectorizer::emitBlock(TilePoint point, int64_t laneCount, Values outs) {
  squares.clear();
  SmallVector<TilePoint> points = {point};
  auto expand = [&](unsigned d, int64_t count, int64_t step, int64_t end, bool rows) {
    SmallVector<TilePoint> more;
    for (const TilePoint &p : points)
      for (int64_t i = 0; i < count; ++i) {
        more.push_back(p);
        more.back().at[d] = add(p.at[d], i * step);
        if (rows)
          more.back().row = i;
        else if (end)
          more.back().valid = std::min(step, end - i * step);
      }
    points = std::move(more);
  };
  for (unsigned d : plan.unrolled)
    expand(d, plan.sizes[d], 1, 0, false);
  if (plan.blocked >= 0)
    expand(plan.blocked, point.rows, 1, 0, true);
  if (plan.lane >= 0 && !plan.laneReduced)
    expand(plan.lane, llvm::divideCeil(laneCount, lanes), lanes, laneCount, false);
  if (llvm::is_contained(plan.reduction, true)) {
    if (!op->hasAttr("heddle.row_by_row"))
      return emitReduction(points, outs);
    for (TilePoint &p : points)
      outs = emitReduction(p, outs);
    return outs;
  }

  for (const TilePoint &p : points) {
    SmallVector<LaneValue> arguments;
    for (OpOperand *input : op.getDpsInputOperands()) {
      // An input that is also written is read from what has been written so far: the
      // same elements, and the buffer can be updated in place.
      Value tensor = input->get();
      for (auto [index, init] : llvm::enumerate(op.getDpsInitsMutable()))
        if (init.get() == tensor && op.getMatchingIndexingMap(&init) == op.getMatchingIndexingMap(input))
          tensor = outs[index];
      arguments.push_back(read(*input, tensor, p));
    }
    for (auto [index, init] : llvm::enumerate(op.getDpsInitsMutable()))
      arguments.push_back(op.payloadUsesValueFromOperand(&init) ? read(init, outs[index], p) : LaneValue());
    SmallVector<LaneValue> results = evaluate(p, arguments);
    if (failed)
      return outs;
    for (auto [index, init] : llvm::enumerate(op.getDpsInitsMutable()))
      outs[index] = write(init, outs[index], p, results[index], true);
  }
  return outs;
}
