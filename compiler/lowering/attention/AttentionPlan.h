//===- AttentionPlan.h - how attention is cut into blocks -------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTIONPLAN_H
#define HEDDLE_COMPILER_LOWERING_ATTENTIONPLAN_H

#include "Attention.h"
#include "EvenParts.h"

namespace heddle {

/// The properties of a heddle.attention on which its plan depends.
struct AttentionFacts {
  Extent queries = 1, keys = 1;    // the numbers of queries and of keys
  int64_t heads = 1, keyHeads = 1; // the numbers of query heads and of key heads
  int64_t valueSize = 1;           // the number of elements of a value in one head
  Causal causal = Causal::None;
  bool hasWindow = false; // a window limits the keys on at least one side
  bool hasKeyLengths = false;
  bool changesScores = false; // a softcap, a bias, a mask or a region `score` changes scores
  bool transposes = false;    // a bias, a mask or a tensor that a region reads varies along both queries and keys
  bool storesWeights = false; // the attention probabilities of all keys are needed at once
  bool readsState = false;    // keys and values are states: the number of keys is their capacity
  // A mask that is the same for all heads and queries removes keys, so that keys before the first and after the last
  // one that it keeps need not be read.
  bool masksKeys = false;

  static AttentionFacts of(AttentionOp op);
  /// Whether causal order or a window may remove keys.
  bool hasOrder() const { return causal != Causal::None || hasWindow; }
};

/// A group of tasks of equal size over the queries of one head: `count` tasks of `rows` queries, padded to `lanes`
/// lanes, from query `first` on. If the number of queries is known only at run time, `count` is 0, and `rows` is the
/// maximum.
struct QueryBlocks {
  int64_t first = 0, count = 0, rows = 0, lanes = 0;
  // Whether the output of a task is [queries][Dv] instead of [Dv][lanes]. With keys in lanes, it always is. With
  // queries in lanes, it is if this takes less time than transposing the output.
  bool outputInRows = false;
  // Whether the diagonal of the causal mask passes from corner to corner of the blocks of keys that it crosses, so that
  // these are computed in steps along the diagonal.
  bool cutsDiagonal = false;
};

/// Cuts the queries into one group if a block size of at most `limit` divides their number with little padding.
/// Otherwise cuts them into two groups, the second of which has the remaining queries.
llvm::SmallVector<QueryBlocks, 2> cutQueries(int64_t queries, int64_t limit, int64_t lanes);

/// How attention is cut into tasks, and the keys of a task into blocks.
struct AttentionPlan {
  llvm::SmallVector<QueryBlocks, 2> groups; // the tasks of a head, which together have all queries
  int64_t sharing = 1;                      // the number of heads of a task; they share a key head
  int64_t blockK = 0;                       // the number of keys of a block
  int64_t fullBlocks = 0, tail = 0;         // the number of whole blocks and of remaining keys; 0 if `countsKeys`
  bool once = false;                        // all keys are one block
  // The loop over keys ends at a number that is known only at run time, because the number of keys lies in a range, or
  // because keys are a state of which only some rows are filled. The other rows of a state are undefined and should not
  // be read: if such a row contained a NaN, its product with a probability of 0 would be NaN, and the task would be
  // computed again.
  bool countsKeys = false;
  bool skipsMaskedEnds = false; // keys that the mask removes at both ends are not read
  // The last key that the first query sees, if blocks may be cut along the diagonal. QueryBlocks::cutsDiagonal says
  // whether those of a group of tasks are.
  int64_t diagonal = 0;
  std::optional<EvenParts> parts; // the blocks of keys, divided among tasks whose results are joined
  int64_t prefetchBytes = 0;      // the prefetch distance of keys and values in bytes; 0: no prefetch

  /// Returns the plan for an op with these facts. The numbers of queries and keys must not be 0.
  static AttentionPlan of(const AttentionFacts &facts, const AttentionTiles &tiles);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTIONPLAN_H
