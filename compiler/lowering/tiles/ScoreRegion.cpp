//===- ScoreRegion.cpp - the region of attention on scores ----------------===//

#include "ScoreRegion.h"

#include "attention/ScoreRegions.h"

using namespace mlir;
using namespace heddle;

ScoreRegion::ScoreRegion(TileBuilder &b, AttentionOp attention, const Extent &queries, const Extent &keys) {
  if (!attention.hasScore())
    return;
  op = attention;
  for (Value read : emitReads(b, op))
    reads.push_back({read, queries, keys});
}

Value ScoreRegion::emit(OpBuilder &b, Location loc, Value score, Value batch, Value head, Value query,
                        Value key) const {
  if (!op)
    return score;
  AttentionOp attention = op; // the accessors of operations are not const
  SmallVector<Value> elements = llvm::map_to_vector(
      reads, [&](const BroadcastOperand &operand) { return operand.emitElement(b, loc, batch, head, query, key); });
  return emitRegion(b, loc, attention, attention.getScore(), score, {batch, head, query, key}, elements);
}
