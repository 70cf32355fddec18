//===- ScoreOperands.cpp - bias, mask and regions of attention ------------===//

#include "ScoreOperands.h"
#include "MaskBytes.h"
#include "QueryLanes.h"
#include "RemovedKeys.h"
#include "ScoreRegions.h"

using namespace mlir;
using namespace heddle;

ScoreOperands::ScoreOperands(TileBuilder &b, AttentionOp op, const AttentionScore &score, ScoreDims dims,
                             int64_t maxKeys)
    : b(b), op(op), score(score), dims(dims), maxKeys(maxKeys) {
  if (op.getMask())
    mask = maskBytes(b, op.getMask());
  reads = emitReads(b, op);
}

/// Returns the part of a bias or mask that belongs to the queries and `count` keys from `firstKey` on. Broadcast
/// dimensions are dropped. `loops` is set to the dimensions of a tile of scores that index the part.
Value ScoreOperands::emitPart(const TaskQueries &queries, Value operand, Value firstKey, const Extent &count,
                              LoopDims &loops) {
  auto type = cast<RankedTensorType>(operand.getType());
  Value positions[] = {queries.batch, queries.head, queries.firstQuery, firstKey};
  Extent one, extents[] = {one, one, queries.rows, count};
  SmallVector<OpFoldResult> offsets;
  SmallVector<Extent> sizes;
  SmallVector<unsigned> keep;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t at = dim + 4 - type.getRank();
    bool broadcast = type.getDimSize(dim) == 1;
    offsets.push_back(broadcast ? OpFoldResult(b.getIndexAttr(0)) : OpFoldResult(positions[at]));
    sizes.push_back(broadcast ? one : extents[at]);
    if (at >= 2 && !broadcast) {
      keep.push_back(dim);
      loops.push_back(at == 2 ? dims.query : dims.key);
    }
  }
  bool perQuery = !loops.empty() && loops[0] == dims.query;
  bool transposes = loops.size() == 2 && !count.isFixed() && !dims.areKeysInLanes();
  if (!perQuery || (queries.count.isFixed() && !transposes))
    return b.slice(operand, offsets, sizes, keep);
  QueryLanes lanes{queries.count, queries.lanes};
  if (loops.size() == 1)
    return lanes.emitElements(b, operand, offsets, keep[0]);
  Value columns =
      emitTransposed(b, lanes.emitRows(b, operand, offsets, keep[0], keep[1], count, maxKeys, TileBuilder::same));
  std::swap(loops[0], loops[1]);
  return b.slice(columns, {b.getIndexAttr(0), b.getIndexAttr(0)}, {count, queries.rows}, {0, 1});
}

/// Applies `body` to each element of a tile of scores or attention probabilities, and returns the changed tile. `body`
/// gets the matching elements of `operands` (biases, masks or tensors that a region reads), and the tile's element
/// last.
Value ScoreOperands::emitEach(const TaskQueries &queries, ArrayRef<Value> operands, Value firstKey, const Extent &count,
                              Value tile, TileBuilder::Body body) {
  SmallVector<Value> inputs;
  SmallVector<LoopDims> loops;
  for (Value operand : operands) {
    loops.emplace_back();
    inputs.push_back(emitPart(queries, operand, firstKey, count, loops.back()));
  }
  // An operand that is indexed by the query has no lanes beyond the task's queries.
  bool perQuery = llvm::any_of(loops, [&](const LoopDims &list) { return llvm::is_contained(list, dims.query); });
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  SmallVector<Extent> sizes(2, count);
  sizes[dims.query] = perQuery ? queries.rows : cast<RankedTensorType>(tile.getType()).getDimSize(dims.query);
  loops.push_back({0, 1});
  Value part = b.generic("pp", loops, inputs, b.slice(tile, origin, sizes, {0, 1}), body)[0];
  return b.insert(part, tile, origin, sizes);
}

/// Emits a region of the op, inside the body of a linalg op on a tile whose first key is `firstKey`.
Value ScoreOperands::emitRegionAt(TileBuilder &inner, Region &region, const TaskQueries &queries, Value firstKey,
                                  Value number, ValueRange elements) {
  Value query = linalg::IndexOp::create(inner, dims.query), key = linalg::IndexOp::create(inner, dims.key);
  Value wide = inner.cast(number, op.getSoftmaxType());
  query = arith::AddIOp::create(inner, query, queries.firstQuery);
  key = arith::AddIOp::create(inner, key, firstKey);
  ScorePosition at = {queries.batch, queries.head, query, key};
  return inner.cast(emitRegion(inner, inner.getLoc(), op, region, wide, at, elements), number.getType());
}

Value ScoreOperands::emitScores(const TaskQueries &queries, Value firstKey, const Extent &count, Value scores) {
  if (!op.getSoftcap() && !op.getBias() && !op.hasScore() && !op.getMask())
    return scores;
  SmallVector<Value> operands;
  for (Value operand : {Value(op.getBias()), mask})
    if (operand)
      operands.push_back(operand);
  if (op.hasScore())
    llvm::append_range(operands, reads);
  return emitEach(queries, operands, firstKey, count, scores, [&](TileBuilder &inner, ValueRange args) {
    unsigned next = 0;
    Value bias = op.getBias() ? args[next++] : Value();
    Value byte = op.getMask() ? args[next++] : Value();
    auto change = [&](Value number) {
      return op.hasScore()
                 ? emitRegionAt(inner, op.getScore(), queries, firstKey, number, args.slice(next, reads.size()))
                 : number;
    };
    return SmallVector<Value>{score.emitChanged(inner, inner.getLoc(), args.back(), bias, byte, change)};
  });
}

Value ScoreOperands::emitProbabilities(const TaskQueries &queries, Value firstKey, const Extent &count,
                                       Value probabilities, bool checked) {
  return emitEach(queries, reads, firstKey, count, probabilities, [&](TileBuilder &inner, ValueRange args) {
    Value weight = checked ? emitUnmarked(inner, args.back()) : args.back();
    Value changed = emitRegionAt(inner, op.getProbability(), queries, firstKey, weight, args.drop_back());
    if (checked) {
      Value zero = inner.real(0.0, weight.getType());
      Value none = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ, changed, zero);
      Value gone = arith::AndIOp::create(inner, none, emitIsMarked(inner, args.back()));
      changed = arith::SelectOp::create(inner, gone, inner.real(-0.0, weight.getType()), emitUnmarked(inner, changed));
    }
    return SmallVector<Value>{changed};
  });
}
