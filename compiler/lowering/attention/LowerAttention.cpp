//===- LowerAttention.cpp - transform ops of attention --------------------===//

#include "Attention.h"
#include "Sizes.h"
#include "TileTasks.h"
#include "TransformOps.h"

#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

using namespace mlir;
using namespace heddle;

/// Returns the number of bytes of the scores of one query with all keys, for the maximum number of keys.
static int64_t scoreBytes(AttentionOp op) {
  return Sizes(op).of(op.getSizes().keys).high() * int64_t(op.getQuery().getType().getElementTypeBitWidth() / 8);
}

/// Limits a block to as many queries as fit into `kib` KiB if each query takes `bytes` bytes. The limit is a power of
/// two and at least one. If `lanes` is larger than the maximum number of queries of a block, reduces it to this number.
static void limitQueries(AttentionTiles &tiles, int64_t bytes, int64_t kib) {
  int64_t maximum = kib * 1024 / std::max<int64_t>(bytes, 1);
  tiles.blockQ = std::min(tiles.blockQ, std::max<int64_t>(int64_t(llvm::bit_floor(uint64_t(maximum))), 1));
  tiles.lanes = std::min(tiles.lanes, tiles.blockQ);
}

/// Erases the remaining linalg ops of the kernel that have no uses, and lowers those whose sizes lie in ranges, such as
/// the conversion of a mask to bytes.
static LogicalResult lowerOthers(RewriterBase &rewriter, func::FuncOp func) {
  Sizes sizes(func);
  auto ops = llvm::to_vector(func.getOps<linalg::LinalgOp>());
  for (linalg::LinalgOp op : llvm::reverse(ops)) {
    if (op->use_empty())
      rewriter.eraseOp(op);
    else if (!llvm::all_of(op.getStaticLoopRanges(), [&](int64_t number) { return sizes.of(number).isFixed(); }) &&
             failed(lowerAnyBox(rewriter, op, sizes)))
      return op.emitError() << "the lowering does not support sizes that lie in ranges";
  }
  return success();
}

DiagnosedSilenceableFailure transforms::LowerAttentionOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                     Operation *target,
                                                                     transform::TransformState &state) {
  auto attention = dyn_cast<AttentionOp>(target);
  if (!attention)
    return emitDefiniteFailure("expects heddle.attention as target, found ") << target->getName();
  AttentionTiles tiles;
  OperandRange params = getOperation()->getOperands().drop_front();
  if (Value dots = getBf16Dots()) {
    FailureOr<int64_t> number = getInteger(state, dots);
    if (failed(number))
      return emitDefiniteFailure("expects an integer as bf16_dots");
    tiles.pairs = *number != 0;
    params = params.drop_back();
  }
  FailureOr<SmallVector<int64_t>> sizes = getPositive(state, params);
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as lanes, block_q, block_k, query_kib, score_kib and past_cache");
  // `sizes` has the values of the parameters in the order in which they are read here. Optional parameters may be
  // missing.
  const int64_t *next = sizes->begin();
  tiles.lanes = *next++;
  tiles.blockQ = *next++;
  if (getBlockK())
    tiles.blockK = *next++;
  tiles.stored = getStored();
  tiles.inRows = getInRows();
  tiles.inParts = getInParts();
  tiles.whole = getWhole();
  if (getQueryKib()) {
    auto query = cast<RankedTensorType>(attention.getQuery().getType());
    int64_t size = std::max(query.getShape().back(), attention.getValue().getType().getShape().back());
    limitQueries(tiles, size * int64_t(query.getElementTypeBitWidth() / 8), *next++);
  }
  if (getScoreKib()) {
    if (int64_t kib = *next++; storesWeights(attention))
      limitQueries(tiles, scoreBytes(attention), kib);
  }
  if (getPastCache())
    tiles.pastCache = *next;
  auto func = attention->getParentOfType<func::FuncOp>();
  if (failed(lowerAttention(rewriter, attention, tiles)) || failed(lowerOthers(rewriter, func)))
    return DiagnosedSilenceableFailure::definiteFailure();
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transforms::LowerAttentionHeadsOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                          Operation *target,
                                                                          transform::TransformState &state) {
  auto attention = dyn_cast<AttentionOp>(target);
  if (!attention)
    return emitDefiniteFailure("expects heddle.attention as target, found ") << target->getName();
  FailureOr<SmallVector<int64_t>> lanes = getPositive(state, getLanes());
  if (failed(lanes))
    return emitDefiniteFailure("expects a positive integer as lanes");
  if (failed(lowerAttentionHeads(rewriter, attention, lanes->front())))
    return DiagnosedSilenceableFailure::definiteFailure();
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transforms::MatchHeadLanesOp::matchOperation(Operation *current,
                                                                         transform::TransformResults &,
                                                                         transform::TransformState &state) {
  auto attention = dyn_cast<AttentionOp>(current);
  if (!attention)
    return emitSilenceableError() << "supports only heddle.attention, found " << current->getName();
  FailureOr<SmallVector<int64_t>> lanes = getPositive(state, getLanes());
  if (failed(lanes))
    return emitDefiniteFailure("expects a positive integer as lanes");
  return matchUnless(getOperation(), refusesHeadLanes(attention, lanes->front()));
}

/// Returns the largest divisor of `values` that is at most `maximum`.
static int64_t evenColumns(int64_t values, int64_t maximum) {
  int64_t columns = std::clamp<int64_t>(maximum, 1, std::max<int64_t>(values, 1));
  while (values % columns)
    --columns;
  return columns;
}

DiagnosedSilenceableFailure transforms::LowerLinearAttentionOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                           Operation *target,
                                                                           transform::TransformState &state) {
  auto attention = dyn_cast<LinearAttentionOp>(target);
  if (!attention)
    return emitDefiniteFailure("expects heddle.linear_attention as target, found ") << target->getName();
  FailureOr<SmallVector<int64_t>> sizes = getPositive(state, getOperation()->getOperands().drop_front());
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as lanes and block_kib");
  LinearAttentionTiles tiles;
  tiles.lanes = sizes->front();
  if (getBlockKib()) {
    ArrayRef<int64_t> values = attention.getValue().getType().getShape();
    int64_t elements = sizes->back() * 1024 / 4, size = attention.getQuery().getType().getShape().back();
    tiles.rows = std::max<int64_t>(elements / std::max<int64_t>(size, 1), 1);
    tiles.columns = evenColumns(values.back(), tiles.rows);
  }
  if (failed(lowerLinearAttention(rewriter, attention, tiles)))
    return DiagnosedSilenceableFailure::definiteFailure();
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transforms::LowerRecurrentAttentionOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                              Operation *target,
                                                                              transform::TransformState &state) {
  auto attention = dyn_cast<RecurrentAttentionOp>(target);
  if (!attention)
    return emitDefiniteFailure("expects heddle.recurrent_attention as target, found ") << target->getName();
  FailureOr<SmallVector<int64_t>> kib = getPositive(state, getStateKib());
  if (failed(kib))
    return emitDefiniteFailure("expects a positive integer as state_kib");
  int64_t size = attention.getKey().getType().getShape().back(), maximum = kib->front() * 1024 / 4;
  int64_t values = attention.getValue().getType().getShape().back();
  int64_t columns = evenColumns(values, maximum / std::max<int64_t>(size, 1));
  if (failed(lowerRecurrentAttention(rewriter, attention, columns)))
    return DiagnosedSilenceableFailure::definiteFailure();
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transforms::MatchOnlineOp::matchOperation(Operation *current, transform::TransformResults &,
                                                                      transform::TransformState &) {
  auto attention = dyn_cast<AttentionOp>(current);
  if (!attention)
    return emitSilenceableError() << "supports only heddle.attention, found " << current->getName();
  if (attention.getWithWeights())
    return emitSilenceableError() << "does not support attention whose probabilities are a result";
  if (attention.hasProbability())
    return emitSilenceableError() << "does not support attention whose probabilities are changed by a region";
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transforms::MatchQueriesOp::matchOperation(Operation *current,
                                                                       transform::TransformResults &,
                                                                       transform::TransformState &state) {
  auto attention = dyn_cast<AttentionOp>(current);
  if (!attention)
    return emitSilenceableError() << "supports only heddle.attention, found " << current->getName();
  AttentionOp::Extents sizes = attention.getSizes();
  int64_t queries = sizes.queries;
  Sizes ranges(attention);
  if (!ranges.of(queries).isFixed())
    return emitSilenceableError() << "needs a fixed number of queries, found a range";
  if (storesWeights(attention) && !ranges.of(sizes.keys).isFixed())
    return emitSilenceableError() << "cannot store attention probabilities if the number of keys lies in a range";
  if (ShapedType::isDynamic(queries) || queries > int64_t(getAtMost())) {
    DiagnosedSilenceableFailure result = emitSilenceableError()
                                         << "supports at most " << getAtMost() << " queries, found ";
    return ShapedType::isDynamic(queries) ? std::move(result) << "?" : std::move(result) << queries;
  }
  if (getScoreKib() && storesWeights(attention)) {
    FailureOr<SmallVector<int64_t>> kib = getPositive(state, getScoreKib());
    if (failed(kib))
      return emitDefiniteFailure("expects a positive integer as score_kib");
    if (int64_t all = queries * scoreBytes(attention), maximum = kib->front() * 1024; all > maximum)
      return emitSilenceableError() << "can store at most " << maximum << " bytes of attention probabilities, found "
                                    << all;
  }
  return DiagnosedSilenceableFailure::success();
}
