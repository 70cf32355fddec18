//===- AttentionTileScores.cpp - scores of attention by tiles -------------===//
//
// Emits the scores of a block of queries and a block of keys, in registers.
// They are products of queries and keys, to which bias, region and mask are
// applied. Scores of removed keys are -inf.
//
//===----------------------------------------------------------------------===//

#include "AttentionTileLowering.h"
#include "TileParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Emits the scores of the block's queries and the `count` keys from `firstKey` on.
Value AttentionTileLowering::emitScores(Value queryTile, Value firstKey, OpFoldResult count) {
  Value keyTile = copy(op.getKey(), key, rows.keyHead, OpFoldResult(firstKey), count, block.keys,
                       AttentionTileBlock::getDepth(kind, key.size));
  Value products = linalg::MatmulTransposeBOp::create(b, loc, scoreTile.getType(), ValueRange{queryTile, keyTile},
                                                      emitFilled(b, loc, scoreTile, 0.0))
                       .getResult(0);
  return withoutRemoved(modified(products, firstKey, count), firstKey);
}

/// Computes the scores from the products, or returns the products if weights are computed from them. The parts of bias
/// and mask may have fewer rows and columns than the tile; scores beyond them remain products, and are not used.
Value AttentionTileLowering::modified(Value products, Value firstKey, OpFoldResult count) {
  if (score.isScaledProduct())
    return products;
  SmallVector<RowInput> inputs;
  SmallVector<OpFoldResult> sizes = {b.getIndexAttr(block.queries), b.getIndexAttr(block.keys)};
  if (region) // the region must read only elements that exist
    sizes = {rows.height, count};
  Value elements[2]; // of bias and mask, if all scores of the tile have the same one
  for (auto [element, operand] : llvm::zip(elements, std::array{bias, mask})) {
    if (!operand.tensor)
      continue;
    bool isOfRow = operand.dependsOn(0) || (rows.heads > 1 && operand.dependsOnHead());
    if (!isOfRow && !operand.dependsOn(1)) {
      element = operand.emitElement(b, loc, rows.batch, rows.head, Value(), Value());
      continue;
    }
    if (rows.heads == 1)
      inputs.push_back(
          operand.emitPart(b, loc, {rows.batch, rows.head, rows.firstQuery, firstKey, rows.height, count}));
    if (isOfRow)
      sizes[0] = rows.height;
    if (operand.dependsOn(1))
      sizes[1] = count;
  }
  bool isWhole = isConstantIntValue(sizes[0], block.queries) && isConstantIntValue(sizes[1], block.keys);
  OpFoldResult zero = b.getIndexAttr(0);
  Value part = isWhole ? products : emitPart(b, loc, products, {zero, zero}, sizes);
  part = emitRowOp(b, loc, inputs, {{part, RowAccess::Tile}}, [&](OpBuilder &inner, ValueRange arguments) {
    unsigned next = 0;
    auto elementOf = [&](const BroadcastOperand &operand, Value known) -> Value {
      if (!operand.tensor || known)
        return known;
      if (rows.heads == 1)
        return arguments[next++];
      Position at = emitPosition(inner, firstKey);
      return operand.emitElement(inner, loc, rows.batch, at.head, at.query, at.key);
    };
    Value ofBias = elementOf(bias, elements[0]), ofMask = elementOf(mask, elements[1]);
    return SmallVector<Value>{score.emit(inner, loc, arguments.back(), ofBias, ofMask, [&](Value changed) {
      if (!region)
        return changed;
      Position at = emitPosition(inner, firstKey);
      Value first = getValueOrCreateConstantIndexOp(inner, loc, rows.firstQuery);
      Value query = inner.createOrFold<arith::AddIOp>(loc, at.query, first);
      return region.emit(inner, loc, changed, rows.batch, at.head, query, at.key);
    })};
  })[0];
  if (isWhole)
    return part;
  SmallVector<OpFoldResult> zeros(2, zero), ones(2, b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, loc, part, products, zeros, sizes, ones);
}

/// Emits the position of the score that a linalg.generic on the tile of scores computes.
AttentionTileLowering::Position AttentionTileLowering::emitPosition(OpBuilder &inner, Value firstKey) const {
  Value row = linalg::IndexOp::create(inner, loc, 0), column = linalg::IndexOp::create(inner, loc, 1);
  Value key = arith::AddIOp::create(inner, loc, column, firstKey);
  return {rows.emitHead(inner, loc, row), rows.emitQuery(inner, loc, row), key};
}

/// Sets the scores of keys that do not exist or that positions remove to -inf. Only blocks at the edge of the visible
/// keys compare positions.
Value AttentionTileLowering::withoutRemoved(Value scores, Value firstKey) {
  TileBuilder t(loc, b);
  if (!removesByPosition(op) && keys.isFixed() && keys.number() % block.keys == 0)
    return scores;
  // This loop of zero or one iterations replaces a branch, because bufferization would copy the tile for a branch.
  Value isEdge = range.emitIsEdge(t, firstKey, block.keys);
  Value times = b.createOrFold<arith::IndexCastUIOp>(loc, b.getIndexType(), isEdge);
  // Query i of the block sees the columns from i + below to i + above that are less than `end`.
  Value first = t.sub(t.index(rows.firstQuery), firstKey), end = t.sub(range.length, firstKey);
  Value above = range.removeAbove ? t.add(first, range.removeAbove) : Value();
  Value below = range.removeBelow ? t.add(first, range.removeBelow) : Value();
  auto loop = scf::ForOp::create(b, loc, t.index(0), times, t.index(1), scores);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  auto change = [&](OpBuilder &inner, ValueRange arguments) {
    TileBuilder body(loc, inner);
    Value row = linalg::IndexOp::create(body, 0), column = linalg::IndexOp::create(body, 1);
    Value query = rows.emitQuery(body, loc, row);
    Value isSeen = arith::CmpIOp::create(body, arith::CmpIPredicate::slt, column, end);
    auto limit = [&](arith::CmpIPredicate predicate, Value distance) {
      if (!distance)
        return;
      Value isInside = arith::CmpIOp::create(body, predicate, column, arith::AddIOp::create(body, query, distance));
      isSeen = arith::AndIOp::create(body, isSeen, isInside);
    };
    limit(arith::CmpIPredicate::sle, above);
    limit(arith::CmpIPredicate::sge, below);
    Value gone = body.real(-INFINITY, arguments[0].getType());
    return SmallVector<Value>{arith::SelectOp::create(body, isSeen, arguments[0], gone)};
  };
  scf::YieldOp::create(b, loc, emitRowOp(b, loc, {}, {{loop.getRegionIterArg(0), RowAccess::Tile}}, change));
  return loop.getResult(0);
}
