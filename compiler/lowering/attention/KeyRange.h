//===- KeyRange.h - the keys that a block of queries sees -------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_KEYRANGE_H
#define HEDDLE_COMPILER_LOWERING_KEYRANGE_H

#include "TileBuilder.h"

#include "Heddle.h"

namespace heddle {

/// Returns whether key lengths, causal order or a window may remove keys by position.
bool removesByPosition(AttentionOp op);

/// A block of queries of one head: indices of the batch entry and of the first query, and the number of queries. The
/// block may extend beyond the last query.
struct QueryBlock {
  mlir::Value batch, firstQuery;
  int64_t rows;
};

/// The keys that key lengths, causal order and windows let a block of queries see. All values are indices, which code
/// at the insertion point computes; they are constants if the sizes and the block are.
struct KeyRange {
  mlir::Value length;             // the number of valid keys
  mlir::Value begin, end;         // all keys that a query of the block sees are in this range; end >= 0
  mlir::Value fullBegin, fullEnd; // in this range, which may be empty, every query of the block sees all keys
  // Query i of the head does not see key j if j > i + removeAbove or j < i + removeBelow. Null if there is no such limit.
  mlir::Value removeAbove, removeBelow;

  /// Emits the range for a block of an op with `queries` queries and `keys` keys.
  static KeyRange emit(TileBuilder &b, AttentionOp op, const Extent &queries, const Extent &keys,
                       const QueryBlock &block);
  /// Emits whether a query of the block may not see one of the `count` keys from `firstKey` on. Otherwise, no scores of
  /// these keys need to compare positions.
  mlir::Value emitIsEdge(TileBuilder &b, mlir::Value firstKey, const Extent &count) const;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_KEYRANGE_H
