//===- AttentionTask.h - the queries and keys of one task -------*- C++ -*-===//
//
// Data that the lowerings of heddle.attention for CPUs, and for GPUs without
// tiles, pass to the pieces that they share. D is the number of elements of a
// query or key in one head, Dv that of a value, and Skv the number of keys.
//
// Terms: a score is the product of a query and a key, times the scale, changed
// by softcap, bias, mask and the region `score`. A weight is the exponential of
// a score minus a number that is the same for all keys of the query; divided by
// the sum of the weights of the query, it is the attention probability. A key is
// removed for a query if its score is -inf, because the mask or the key's
// position removes it. A task is computed a second time as a checked task if
// its first result is not finite, or may be wrong because sums of integers
// overflowed (StoredRows.h). In a checked task, removed keys are marked
// (RemovedKeys.h), and their values are skipped instead of multiplied by 0,
// since 0 times a value that is not finite is NaN.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTIONTASK_H
#define HEDDLE_COMPILER_LOWERING_ATTENTIONTASK_H

#include "KeyRange.h"
#include "ProductFactors.h"
#include "StoredRows.h"

namespace heddle {

/// The dimensions of a tile of scores along keys and along queries.
struct ScoreDims {
  unsigned key, query;

  /// Returns the dimensions of tiles [queries][keys] with keys in lanes, or [keys][queries] with queries in lanes.
  static ScoreDims of(bool keysInLanes) { return keysInLanes ? ScoreDims{1, 0} : ScoreDims{0, 1}; }
  bool areKeysInLanes() const { return key == 1; }
  /// Returns the shape of a tile of `rows` queries, and of `columns` keys or elements of a head.
  llvm::SmallVector<int64_t> getShape(int64_t rows, int64_t columns) const;
  /// The iterators of a reduction along keys (TileBuilder::generic).
  llvm::StringRef alongKeys() const { return areKeysInLanes() ? "pr" : "rp"; }
};

/// The queries of a task: some queries of one head, or all queries of several heads that share a key head.
struct TaskQueries {
  mlir::Value batch, head, keyHead, firstQuery; // indices; `head` is the first head
  int64_t rows, lanes; // the number of queries of a block of one head, and this number padded to whole vectors
  Extent count;        // the number of queries of one head; if it is known only at run time, it is at most `rows`
};

/// The operands of a task.
struct AttentionTask {
  ProductFactors factors;
  TaskQueries queries;
  bool outputInRows, cutsDiagonal;            // as in QueryBlocks (AttentionPlan.h)
  StoredRows keys, values;                    // [Skv][D], [Skv][Dv]; scales [Skv]
  bool checked = false;                       // this is the second computation, a checked task (see above)
  mlir::Value query = {};                     // [D][lanes] or [rows][D], times the scale unless attention rounds
  mlir::Value factor = {};                    // `query` as a factor of products
  KeyRange range = {};                        // the keys that the task's queries see by their positions
  mlir::Value blockBegin = {}, blockEnd = {}; // the range of blocks of keys that the task's queries read
};

/// The tensors that the loop over blocks of keys carries and updates in place: the running maximum and sum of
/// exponentials of each query, the weighted sum of values, and the scores or weights of a block.
struct SoftmaxState {
  mlir::Value maximum, sum, output, scores;

  static SoftmaxState from(mlir::ValueRange v) { return {v[0], v[1], v[2], v[3]}; }
  llvm::SmallVector<mlir::Value> list() const { return {maximum, sum, output, scores}; }
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTIONTASK_H
