//===- TileVectorizer.cpp - linalg on small static tiles as vectors -------===//

#include "TileVectorizer.h"

#include "Notes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace heddle;

LogicalResult TileVectorizer::vectorize(linalg::LinalgOp target) {
  FailureOr<SmallVector<Extent>> extents = loopExtents(target);
  if (failed(extents) || failed(checkBody(target)))
    return failure();
  op = target;
  b.setLoc(op.getLoc());
  b.setInsertionPoint(op);
  registers.enter(op->getBlock());
  plan = makePlan(*extents);
  halves = usesHalves();

  accumulated.clear();
  numbers.clear();
  streamed.clear();
  for (unsigned output = 0; output < op.getNumDpsInits(); ++output)
    (isAccumulated(op, output) ? accumulated : streamed).push_back(output);
  recording = plan.outer.empty() && plan.blocked < 0;
  recorded.assign(op.getNumDpsInits(), RegisterTile());

  TilePoint origin;
  origin.at.assign(extents->size(), b.getIndexAttr(0));
  Values results = emitOuter(0, origin, Values(op.getDpsInits()));
  for (auto [result, tile] : llvm::zip(results, recorded))
    registers.add(result, std::move(tile));
  rewriter.replaceOp(op, results);
  return success();
}

/// Emits a loop. In a loop of several iterations, indices are not constant, so nothing that its body writes is recorded
/// as a register tile.
TileVectorizer::Values TileVectorizer::loop(const Extent &extent, int64_t step, Values inits,
                                            function_ref<Values(OpFoldResult, int64_t, Values)> body) {
  return b.loop(extent, step, std::move(inits), [&](OpFoldResult at, int64_t count, Values carried) {
    bool outside = std::exchange(recording, recording && getConstantIntValue(at));
    Values results = body(at, count, std::move(carried));
    recording = outside;
    return results;
  });
}

/// Evaluates the body of the op at a point, and returns one value for each output. `arguments` contains the values of
/// the op's operands; the value of an operand that the body does not use may be null.
SmallVector<LaneValue> TileVectorizer::evaluate(const TilePoint &point, ArrayRef<LaneValue> arguments) {
  LaneBody body(b, op, {point.at, plan.lane, widthFor(point.valid), point.valid}, registers);
  for (unsigned output : numbers)
    body.setNumber(output);
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument && arguments[operand.getOperandNumber()].value)
      body.set(argument, arguments[operand.getOperandNumber()]);
  }
  return body.evaluate();
}

/// Emits the loops over plan.outer from index `depth` on.
TileVectorizer::Values TileVectorizer::emitOuter(unsigned depth, TilePoint point, Values outs) {
  if (depth == plan.outer.size())
    return emitBlocked(point, outs);
  unsigned d = plan.outer[depth];
  return loop(plan.extents[d], 1, outs, [&](OpFoldResult at, int64_t, Values carried) {
    TilePoint inner = point;
    inner.at[d] = at;
    return emitOuter(depth + 1, inner, carried);
  });
}

/// Emits the loop over the rows of the result in steps of plan.block rows, if there is such a loop.
TileVectorizer::Values TileVectorizer::emitBlocked(TilePoint point, Values outs) {
  if (plan.blocked < 0)
    return emitLanes(point, outs);
  return loop(plan.extents[plan.blocked], plan.block, outs, [&](OpFoldResult at, int64_t rows, Values carried) {
    TilePoint inner = point;
    inner.at[plan.blocked] = at;
    inner.rows = rows;
    return emitLanes(inner, carried);
  });
}

/// Emits the loop along the lanes in steps of plan.vectors vectors, if there is such a loop.
TileVectorizer::Values TileVectorizer::emitLanes(TilePoint point, Values outs) {
  if (plan.lane < 0 || plan.laneReduced)
    return emitBlock(point, 1, outs);
  return loop(plan.extents[plan.lane], plan.vectors * lanes, outs, [&](OpFoldResult at, int64_t count, Values carried) {
    TilePoint inner = point;
    inner.at[plan.lane] = at;
    return emitBlock(inner, count, carried);
  });
}

/// Emits one register tile, with `laneCount` elements along the lanes.
TileVectorizer::Values TileVectorizer::emitBlock(TilePoint point, int64_t laneCount, Values outs) {
  transposedTiles.clear();
  SmallVector<TilePoint> points = {point};
  // Replaces each point by `count` points, which are `step` apart along the loop `d`. If `end` is not 0, it is the
  // number of valid elements along the loop. `rows`: the loop is the one over the rows of the register tile.
  auto expand = [&](unsigned d, int64_t count, int64_t step, int64_t end, bool rows) {
    SmallVector<TilePoint> more;
    for (const TilePoint &p : points)
      for (int64_t i = 0; i < count; ++i) {
        more.push_back(p);
        more.back().at[d] = b.add(p.at[d], i * step);
        if (rows)
          more.back().row = i;
        else if (end)
          more.back().valid = std::min(step, end - i * step);
      }
    points = std::move(more);
  };
  for (unsigned d : plan.unrolled)
    expand(d, plan.extents[d].number(), 1, 0, false);
  if (plan.blocked >= 0)
    expand(plan.blocked, point.rows, 1, 0, true);
  if (plan.lane >= 0 && !plan.laneReduced)
    expand(plan.lane, llvm::divideCeil(laneCount, lanes), lanes, laneCount, false);
  if (llvm::is_contained(plan.reduction, true)) {
    if (!notes::rowByRow.has(op))
      return emitReduction(points, outs);
    for (TilePoint &p : points)
      outs = emitReduction(p, outs);
    return outs;
  }

  for (const TilePoint &p : points) {
    SmallVector<LaneValue> arguments;
    for (OpOperand *input : op.getDpsInputOperands()) {
      // An input that is also an output is read from the tensor after the latest write. The elements to be read are
      // still unchanged there, and the buffer can be updated in place.
      Value tensor = input->get();
      for (auto [index, init] : llvm::enumerate(op.getDpsInitsMutable()))
        if (init.get() == tensor && op.getMatchingIndexingMap(&init) == op.getMatchingIndexingMap(input))
          tensor = outs[index];
      arguments.push_back(read(*input, tensor, p));
    }
    for (auto [index, init] : llvm::enumerate(op.getDpsInitsMutable()))
      arguments.push_back(op.payloadUsesValueFromOperand(&init) ? read(init, outs[index], p) : LaneValue());
    SmallVector<LaneValue> results = evaluate(p, arguments);
    for (auto [index, init] : llvm::enumerate(op.getDpsInitsMutable()))
      outs[index] = write(init, outs[index], p, results[index], true);
  }
  return outs;
}
