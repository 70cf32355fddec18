//===- ScoreRegion.cpp - the region of attention on scores ----------------===//

#include "ScoreRegion.h"
#include "MaskBytes.h"
#include "Widened.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

ScoreRegion::ScoreRegion(TileBuilder &b, AttentionOp attention, const Extent &queries, const Extent &keys) {
  if (!attention.hasScore())
    return;
  op = attention;
  for (Value read : op.getReads())
    reads.push_back({getElementTypeOrSelf(read).isInteger(1) ? maskBytes(b, read) : read, queries, keys});
}

Value ScoreRegion::emit(OpBuilder &b, Location loc, Value score, Value batch, Value head, Value query,
                        Value key) const {
  if (!op)
    return score;
  AttentionOp attention = op; // the accessors of operations are not const
  SmallVector<Value> arguments = {score, batch, head, query, key};
  for (auto [operand, read] : llvm::zip_equal(reads, attention.getReads())) {
    Value element = operand.emitElement(b, loc, batch, head, query, key);
    if (getElementTypeOrSelf(read).isInteger(1))
      element = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, element,
                                      arith::ConstantIntOp::create(b, loc, element.getType(), 0));
    arguments.push_back(element);
  }
  return AttentionOp::inlineRegion(b, attention.getScore(), arguments);
}
