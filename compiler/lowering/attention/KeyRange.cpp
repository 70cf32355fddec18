//===- KeyRange.cpp - the keys that a block of queries sees ---------------===//

#include "KeyRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

bool heddle::removesByPosition(AttentionOp op) {
  return op.getKeyLengths() || op.getCausal() != Causal::None || op.getWindowLeft() >= 0 || op.getWindowRight() >= 0;
}

KeyRange KeyRange::emit(TileBuilder &b, AttentionOp op, const Extent &queries, const Extent &keys,
                        const QueryBlock &block) {
  KeyRange range;
  Value zero = b.index(0), all = b.index(keys);
  range.length = all;
  if (Value lengths = op.getKeyLengths()) {
    Value length = b.createOrFold<tensor::ExtractOp>(lengths, block.batch);
    // The length is clamped before it becomes an index, since an index has only 32 bits on devices.
    Type type = length.getType();
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
    Value most = b.createOrFold<arith::IndexCastOp>(type, all);
    range.length = b.createOrFold<arith::IndexCastOp>(b.getIndexType(), b.min(b.max(length, none), most));
  }
  Value base = op.getCausal() == Causal::UpperLeft ? zero : b.sub(range.length, b.index(queries));
  // Window extents are limited to keys + queries, which is beyond every key, so that additions do not overflow. Indices
  // have 32 bits on devices, so there are fewer keys and queries than 2^31.
  Value far = b.add(b.index(keys), b.index(queries));
  auto limited = [&](int64_t extent) { return b.min(b.index(std::min<int64_t>(extent, INT32_MAX)), far); };
  int64_t left = op.getWindowLeft(), right = op.getWindowRight();
  if (op.getCausal() != Causal::None)
    right = 0;
  Value last = b.add(block.firstQuery, b.index(block.rows - 1));
  range.begin = zero;
  range.end = range.length;
  range.fullBegin = zero;
  range.fullEnd = range.length;
  if (right >= 0) {
    range.removeAbove = b.add(base, limited(right));
    range.end = b.min(range.end, b.max(zero, b.add(b.add(last, range.removeAbove), b.index(1))));
    range.fullEnd = b.min(range.fullEnd, b.add(b.add(block.firstQuery, range.removeAbove), b.index(1)));
  }
  if (left >= 0) {
    range.removeBelow = b.sub(base, limited(left));
    range.begin = b.min(b.max(zero, b.add(block.firstQuery, range.removeBelow)), all);
    range.fullBegin = b.max(zero, b.add(last, range.removeBelow));
  }
  return range;
}

Value KeyRange::emitIsEdge(TileBuilder &b, Value firstKey, const Extent &count) const {
  Value before = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, firstKey, fullBegin);
  Value after = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, b.add(firstKey, b.index(count)), fullEnd);
  return b.createOrFold<arith::OrIOp>(before, after);
}
