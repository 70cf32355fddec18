//===- AttentionHeads.cpp - attention with narrow heads in lanes ----------===//
//
// If the heads of a position are adjacent in memory, they can fill a vector:
// each lane has a query of one head, and several queries share a vector if all
// their heads fit. Few lanes are then padding. Element d of a key or value is a
// vector that contains this element of every head.
//
// This file checks whether this is possible and useful for an op, and divides
// the op into tasks. Each task still contains a heddle.attention; HeadLanes.cpp
// expands it later, when other ops are vectorised.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "Emit.h"
#include "HeadLanes.h"
#include "Notes.h"
#include "Sizes.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

std::string heddle::refusesHeadLanes(AttentionOp op, int64_t lanes) {
  AttentionOp::Extents sizes = op.getSizes();
  for (Value value :
       llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector_of<Value>(op->getResults()))) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.hasStaticShape() || !type.getElementType().isF32())
      return llvm::formatv("supports only f32 and static shapes, found {0}", type);
  }
  if (op.getBias() || op.getMask() || op.getKeyLengths() || op.getCausal() != Causal::None || op.getWindow() ||
      op.getSoftcap() || op.hasScore() || storesWeights(op) || op.getSoftmaxPrecision() == SoftmaxPrecision::F64)
    return "supports only attention in f32 without bias, mask, key lengths, causal, window, softcap, regions or "
           "attention probabilities as a result";
  if (op.getRounding())
    return "does not support attention that rounds its operands";
  if (op.getQueryLayout() != Layout::Bshd || op.getKeyLayout() != Layout::Bshd ||
      op.getValueLayout() != Layout::Bshd || op.getResultLayout() != Layout::Bshd)
    return "supports only operands and results in layout bshd";
  Sizes ranges(op);
  if (!ranges.of(sizes.queries).isFixed() || !ranges.of(sizes.keys).isFixed())
    return "needs fixed numbers of queries and keys, found a range";
  if (sizes.keyHeads != sizes.queryHeads || sizes.queryHeads < 2 || sizes.queryHeads > lanes)
    return llvm::formatv("needs 2 to {0} query heads and as many key heads, found {1} query heads and {2} key heads",
                         lanes, sizes.queryHeads, sizes.keyHeads);
  // The sums of exponentials and of weighted values of two vectors of queries must leave 4 registers free. There are 32
  // registers of 16 lanes or 16 of 8 lanes, so heads have at most 5 elements with 8 lanes. With 16 lanes, 8 elements
  // are the maximum, because a head of 8 elements already takes as long as with queries in lanes. (Time divided by the
  // time with queries in lanes, on AVX2: 0.8 with 4 elements, 1.06 with 6, 1.7 with 8; on AVX-512: 0.65 with 4, 1.0
  // with 8.)
  int64_t maximum = std::min<int64_t>(8, (2 * lanes - 4) / vectorsTogether - 1);
  if (sizes.headSize > maximum || sizes.valueSize > maximum)
    return llvm::formatv("supports heads of at most {0} elements, found {1} in queries and {2} in values", maximum,
                         sizes.headSize, sizes.valueSize);
  // The scores of all keys should stay in the first-level cache.
  if (sizes.keys > 128 || sizes.keys == 0)
    return llvm::formatv("supports 1 to 128 keys, found {0}", sizes.keys);
  if (sizes.queries == 0 || sizes.batch == 0)
    return llvm::formatv("needs at least 1 query and a batch of at least 1, found {0} queries and a batch of {1}",
                         sizes.queries, sizes.batch);
  if (std::abs(op.getScaleValue()) * llvm::numbers::log2e > std::numeric_limits<float>::max())
    return "needs a scale that does not overflow f32 when it is multiplied by log2(e)";
  // The number of lanes, including padding, with queries in lanes, and with heads in lanes.
  int64_t withQueries = sizes.queryHeads * llvm::alignTo(sizes.queries, 16);
  int64_t withHeads = llvm::PowerOf2Ceil(sizes.queryHeads) * sizes.queries;
  if (withQueries < withHeads)
    return llvm::formatv(
        "needs heads that fill vector lanes better than the queries do, found {0} heads and {1} queries",
        sizes.queryHeads, sizes.queries);
  return "";
}

LogicalResult heddle::lowerAttentionHeads(RewriterBase &rewriter, AttentionOp op, int64_t lanes) {
  if (std::string reason = refusesHeadLanes(op, lanes); !reason.empty())
    return op.emitError("cannot lower attention with heads in lanes: ") << reason;
  AttentionOp::Extents sizes = op.getSizes();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  // Each task transposes all keys, so it should have enough queries to make this cost small.
  int64_t count = sizes.queries;
  while (count % 2 == 0 && count >= 64)
    count /= 2;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<int64_t> tile = {1, count, sizes.queryHeads, sizes.valueSize};
  Extent counts[] = {Sizes(op).of(sizes.batch).emitOnce(rewriter, loc), sizes.queries / count};
  Value result = emitTasks(
      rewriter, loc, counts, emitDestination(rewriter, op.getResult(), type), tile,
      [&](OpBuilder &b, ValueRange ivs, Value) {
        OpFoldResult zero = b.getIndexAttr(0), first = emitAffine(b, loc, ivs[1], count, 0);
        auto slice = [&](Value operand, OpFoldResult row, int64_t rows) {
          ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.getType()).getShape();
          return emitSlice(b, loc, operand, {ivs[0], row, zero, zero}, {1, rows, shape[2], shape[3]});
        };
        Value query = slice(op.getQuery(), first, count), key = slice(op.getKey(), zero, sizes.keys);
        Value value = slice(op.getValue(), zero, sizes.keys);
        auto task = cast<AttentionOp>(b.clone(*op));
        task.getQueryMutable().assign(query);
        task.getKeyMutable().assign(key);
        task.getValueMutable().assign(value);
        task.getResult().setType(type.clone(tile));
        notes::headLanes.set(task, lanes);
        return TaskTile{task.getResult(), {ivs[0], first, zero, zero}};
      });
  rewriter.replaceOp(op, result);
  return success();
}
