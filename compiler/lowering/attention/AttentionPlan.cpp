//===- AttentionPlan.cpp - how attention is cut into blocks ---------------===//

#include "AttentionPlan.h"
#include "KeyRange.h"

#include "Notes.h"
#include "Sizes.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// The maximum number of tasks among which the blocks of keys of one key head are divided.
static constexpr int64_t maxParts = 32;

/// Returns whether a bias, a mask or a tensor that a region reads varies along both queries and keys, so its tiles must
/// be transposed.
static bool isMatrix(Value operand) {
  if (!operand)
    return false;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.getType()).getShape();
  return shape.size() >= 2 && shape[shape.size() - 1] > 1 && shape[shape.size() - 2] > 1;
}

/// Returns whether the mask is the same for all heads and queries, and removes keys. A masked score of -inf removes the
/// key. A masked score that is the lowest finite number has the same effect if another key of the same query has a
/// higher score, since the exponential of the masked key is then 0. With such a score, the op must have no bias and no
/// region `score`, which could change how scores compare, and no key lengths, causal order or window, which could
/// remove all keys with higher scores.
static bool masksKeys(AttentionOp op) {
  auto type = op.getMask() ? cast<RankedTensorType>(op.getMask().getType()) : RankedTensorType();
  if (!type || type.getRank() != 4 || type.getDimSize(1) != 1 || type.getDimSize(2) != 1 ||
      type.getDimSize(3) != op.getSizes().keys)
    return false;
  double score = op.getMaskedScoreValue();
  return score == -INFINITY || (score <= -double(std::numeric_limits<float>::max()) && !op.getBias() &&
                                !op.hasScore() && !removesByPosition(op));
}

AttentionFacts AttentionFacts::of(AttentionOp op) {
  AttentionOp::Extents sizes = op.getSizes();
  Sizes ranges(op);
  std::optional<StateSizes> states = notes::stateSizes.get(op->getParentOfType<ModuleOp>());
  AttentionFacts facts;
  facts.queries = ranges.of(sizes.queries);
  facts.keys = ranges.of(sizes.keys);
  facts.heads = sizes.queryHeads;
  facts.keyHeads = sizes.keyHeads;
  facts.valueSize = sizes.valueSize;
  facts.causal = op.getCausal();
  facts.hasWindow = op.getWindowLeft() >= 0 || op.getWindowRight() >= 0;
  facts.hasKeyLengths = op.getKeyLengths() != nullptr;
  facts.changesScores = op.getSoftcap() || op.getBias() || op.getMask() || op.hasScore();
  facts.transposes = isMatrix(op.getBias()) || isMatrix(op.getMask()) || llvm::any_of(op.getReads(), isMatrix);
  facts.storesWeights = heddle::storesWeights(op);
  facts.readsState = states && sizes.keys == states->capacity;
  facts.masksKeys = ::masksKeys(op);
  return facts;
}

SmallVector<QueryBlocks, 2> heddle::cutQueries(int64_t queries, int64_t limit, int64_t lanes) {
  auto padded = [&](int64_t rows) -> int64_t { return llvm::divideCeil(rows, lanes) * lanes; };
  limit = std::max(padded(1), limit / lanes * lanes);
  // The cost of `count` blocks, in lanes. The cost of a block includes constant terms, which make few wide blocks
  // cheaper than many narrow ones, since a narrow block does less arithmetic per loaded element.
  auto cost = [&](int64_t rows, int64_t count) -> int64_t {
    return count * (padded(rows) + lanes / 4 + (padded(rows) == lanes ? lanes / 4 : 0));
  };
  QueryBlocks whole{0, queries / std::min(limit, queries), std::min(limit, queries), padded(std::min(limit, queries))};
  int64_t rest = queries - whole.count * whole.rows;
  int64_t cut = cost(whole.rows, whole.count) + (rest ? cost(rest, 1) : 0);
  // A second group needs a second copy of the code, so equal blocks are preferred even if they cost a tenth more.
  std::optional<QueryBlocks> best;
  for (int64_t rows = std::min(limit, queries); rows > 0; --rows)
    if (queries % rows == 0 && (!best || cost(rows, queries / rows) < cost(best->rows, best->count)))
      best = QueryBlocks{0, queries / rows, rows, padded(rows)};
  if (!rest || cost(best->rows, best->count) * 10 <= cut * 11)
    return {*best};
  return {whole, QueryBlocks{whole.count * whole.rows, 1, rest, padded(rest)}};
}

/// Returns the index of the last key that the first query sees if all of these conditions hold: only the causal order
/// removes keys, nothing changes scores, every query has a key on the diagonal, the numbers of queries and keys are
/// fixed, queries lie in lanes, and neither attention probabilities nor all scores of a query are stored.
static std::optional<int64_t> findDiagonal(const AttentionFacts &facts, const AttentionTiles &tiles) {
  if (facts.causal == Causal::None || facts.hasWindow || facts.hasKeyLengths || facts.changesScores ||
      facts.storesWeights || tiles.inRows || tiles.stored || !facts.queries.isFixed() || !facts.keys.isFixed())
    return std::nullopt;
  int64_t queries = facts.queries.number(), keys = facts.keys.number();
  int64_t diagonal = facts.causal == Causal::UpperLeft ? 0 : keys - queries;
  return diagonal >= 0 && diagonal + queries <= keys ? std::optional(diagonal) : std::nullopt;
}

/// Returns the largest number that is at most `limit` and has no prime factors except 2 and 3. `limit` must be
/// positive.
static int64_t withoutLargeFactors(int64_t limit) {
  auto hasLargeFactor = [](int64_t number) {
    for (int64_t factor : {2, 3})
      while (number % factor == 0)
        number /= factor;
    return number > 1;
  };
  while (hasLargeFactor(limit))
    --limit;
  return limit;
}

/// Returns the maximum number of queries of a task with queries in lanes, if causal order or a window removes keys.
/// A block in which they remove all keys is skipped. Few blocks can be skipped if a block has more keys than queries,
/// or if a sequence has few blocks. Each halving of the block size makes the computation about a twentieth slower. Half
/// of the scores of a block on the diagonal are not needed, but are computed unless the block is cut along the
/// diagonal.
static int64_t limitOrderedQueries(const AttentionFacts &facts, const AttentionTiles &tiles, bool hasDiagonal) {
  int64_t limit = tiles.blockQ, fewBlocks = hasDiagonal ? 2 : 10;
  // Blocks of keys are as large as blocks of queries (unless `tiles.blockK` is smaller), a power of two times `lanes`,
  // so that the diagonal passes through corners of blocks. The power is rounded down, but up if blocks are cut along
  // the diagonal. In this case, larger blocks were measured to be faster: with 16 vector registers and 128 to 512
  // queries, blocks of 64 take 0.93 to 0.98 of the time of blocks of 32.
  if (limit > tiles.lanes) {
    uint64_t vectors = limit / tiles.lanes;
    bool larger = hasDiagonal && int64_t(llvm::bit_ceil(vectors)) * tiles.lanes <= tiles.blockK;
    limit = tiles.lanes * (larger ? llvm::bit_ceil(vectors) : llvm::bit_floor(vectors));
  }
  while (limit >= 2 * tiles.lanes && facts.queries.high() < fewBlocks * limit)
    limit = llvm::alignTo(limit / 2, tiles.lanes);
  return limit;
}

/// Sets one block for all keys, or blocks of at most `limit` keys. The loop over keys ends at a number that is known at
/// compile time (`countsKeys` is false). `isOrdered`: causal order or a window removes keys, and queries lie in lanes.
static void cutFixedKeys(AttentionPlan &plan, const AttentionFacts &facts, const AttentionTiles &tiles, int64_t limit,
                         bool isOrdered) {
  int64_t all = facts.keys.number();
  // One block of up to 1.5 times the limit is 1 to 7% faster than two that are rescaled (Zen4, 135 to 192 keys).
  if (!isOrdered && !tiles.inRows && all <= limit + limit / 2)
    limit = all;
  plan.once = tiles.stored || facts.storesWeights || all <= limit;
  // Blocks of nearly equal size leave the smallest remainder. If positions remove keys, the diagonal must pass through
  // corners of blocks instead.
  plan.blockK = plan.once ? all : isOrdered ? limit : llvm::divideCeil(all, llvm::divideCeil(all, limit));
  // A bias or mask that varies along queries and keys is transposed in square tiles of `lanes`, which should divide the
  // blocks of the loop.
  if (!plan.once && facts.transposes)
    plan.blockK = std::min<int64_t>(llvm::alignTo(plan.blockK, tiles.lanes), all);
  plan.fullBlocks = all / plan.blockK;
  plan.tail = facts.keys.rest(plan.blockK);
}

/// Sets one block for all keys, or blocks of at most about `limit` keys; the block size is the same for all numbers of
/// keys. If there may be several blocks, the block size must not have a prime factor of 5 or more. Placeholders, the
/// numbers that represent sizes in types, have such factors (import/sizes/SizeScope.h), and a tile whose extent is a
/// multiple of a placeholder would be mistaken for a tile whose extent depends on this size.
static void cutCountedKeys(AttentionPlan &plan, const AttentionFacts &facts, const AttentionTiles &tiles,
                           int64_t limit) {
  plan.once = tiles.stored || facts.storesWeights;
  // Blocks are multiples of this unit, so that register tiles and square tiles divide a whole block.
  int64_t unit = tiles.inRows ? tiles.lanes : facts.transposes ? 3 * tiles.lanes : 12;
  plan.blockK = plan.once ? int64_t(llvm::alignTo(facts.keys.high(), tiles.lanes))
                          : unit * withoutLargeFactors(std::max<int64_t>(limit / unit, 1));
}

/// Returns whether a task with queries in lanes, all keys in one block, and fixed numbers of queries and keys computes
/// its output as rows [queries][Dv] instead of [Dv][lanes]. Rows need no shuffles that transpose the output, but they
/// may need more multiplications, because the last Dv mod `lanes` elements of a row are padded to a power of two. Rows
/// are chosen if these multiplications cost less than the shuffles.
static bool isFasterInRows(const QueryBlocks &blocks, const AttentionFacts &facts, int64_t lanes) {
  int64_t whole = facts.valueSize / lanes * lanes, rest = facts.valueSize - whole;
  int64_t inRows = blocks.rows * (whole + (rest > 0 ? llvm::PowerOf2Ceil(rest) : 0));
  int64_t transposed = blocks.lanes * llvm::alignTo(facts.valueSize, lanes) * llvm::Log2_64(lanes);
  return facts.keys.number() * (inRows - blocks.lanes * facts.valueSize) < transposed;
}

AttentionPlan AttentionPlan::of(const AttentionFacts &facts, const AttentionTiles &tiles) {
  AttentionPlan plan;
  std::optional<int64_t> diagonal = findDiagonal(facts, tiles);
  bool isOrdered = facts.hasOrder() && !tiles.inRows, areFixed = facts.queries.isFixed() && facts.keys.isFixed();
  int64_t maxQueries = tiles.blockQ;
  if (isOrdered && !tiles.stored)
    maxQueries = limitOrderedQueries(facts, tiles, diagonal.has_value());
  int64_t maxKeys = isOrdered ? std::min(tiles.blockK, maxQueries) : tiles.blockK;
  plan.countsKeys =
      !facts.keys.isFixed() || (facts.readsState && facts.hasKeyLengths && !tiles.stored && !facts.storesWeights);
  if (plan.countsKeys)
    cutCountedKeys(plan, facts, tiles, maxKeys);
  else
    cutFixedKeys(plan, facts, tiles, maxKeys, isOrdered);
  plan.skipsMaskedEnds = facts.masksKeys && !plan.once && !tiles.whole;

  if (!facts.queries.isFixed())
    plan.groups = {{0, 0, maxQueries, maxQueries}};
  else if (tiles.inRows)
    plan.groups = {{0, 1, facts.queries.number(), facts.queries.number()}};
  else
    plan.groups = cutQueries(facts.queries.number(), maxQueries, tiles.lanes);
  plan.diagonal = diagonal.value_or(0);
  for (QueryBlocks &blocks : plan.groups) {
    blocks.outputInRows = tiles.inRows || (plan.once && areFixed && isFasterInRows(blocks, facts, tiles.lanes));
    blocks.cutsDiagonal = diagonal && !tiles.whole && !plan.once && blocks.rows == plan.blockK &&
                          blocks.lanes == plan.blockK && blocks.first % plan.blockK == 0 &&
                          *diagonal % plan.blockK == 0;
  }
  if (!tiles.inRows)
    return plan;
  // Heads that share a key head are one task, which reads the keys once, if all their queries fit into a block.
  int64_t sharing = facts.heads / facts.keyHeads;
  if (facts.queries.isFixed() && sharing * facts.queries.number() <= tiles.blockQ)
    plan.sharing = sharing;
  // The hardware prefetcher stops at page ends: prefetch one page ahead into L1, or four pages into an outer cache.
  if (facts.readsState)
    plan.prefetchBytes = tiles.pastCache == 1 ? 4096 : 16384;
  if (tiles.inParts && !plan.once)
    plan.parts = EvenParts::atMost(llvm::divideCeil(facts.keys.high(), plan.blockK), maxParts);
  return plan;
}
