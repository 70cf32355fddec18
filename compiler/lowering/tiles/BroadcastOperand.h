//===- BroadcastOperand.h - biases and masks of attention -------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILES_BROADCASTOPERAND_H
#define HEDDLE_LOWERING_TILES_BROADCASTOPERAND_H

#include "HeadRows.h"
#include "RowOps.h"

namespace heddle {

/// A tensor that is broadcast to [B,Hq,Sq,Skv]: the bias or the mask of heddle.attention.
struct BroadcastOperand {
  mlir::Value tensor;
  Extent queries, keys; // Sq and Skv

  /// The scores of a block of queries of one head and a block of keys.
  struct Block {
    mlir::Value batch, head;
    mlir::OpFoldResult firstQuery, firstKey;
    mlir::OpFoldResult height, count; // the numbers of queries and of keys that exist
  };
  /// Returns whether the elements depend on the query (`dim` 0) or on the key (`dim` 1).
  bool dependsOn(unsigned dim) const;
  /// Returns whether the elements depend on the head.
  bool dependsOnHead() const;
  /// Emits the part that belongs to a block of scores, [height, count], [height] or [count]. Must not be called if all
  /// scores of a head have the same element.
  RowInput emitPart(mlir::OpBuilder &b, mlir::Location loc, const Block &block) const;
  /// Emits the element for one score.
  mlir::Value emitElement(mlir::OpBuilder &b, mlir::Location loc, mlir::Value batch, mlir::Value head,
                          mlir::Value query, mlir::Value key) const;

private:
  /// Returns the extent of a dimension of [B,Hq,Sq,Skv] in the tensor: 1 if it is broadcast.
  int64_t extentOf(unsigned dim) const;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_BROADCASTOPERAND_H
