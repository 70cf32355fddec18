//===- HeadRows.h - the rows of heads as rows of a matrix -------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILES_HEADROWS_H
#define HEDDLE_LOWERING_TILES_HEADROWS_H

#include "Extent.h"
#include "Heddle.h"

namespace heddle {

/// The query, key, value or result of heddle.attention as a matrix. In the layout `bhsd`, it is [B x H x S, D] and has
/// the rows of a head below those of the previous head. In the layout `bshd`, it is [B x S, H x D] and has the rows of
/// a head beside those of the previous head. If S is 1, both layouts have the same order of elements, and the matrix is
/// [B x H, D].
struct HeadRows {
  Layout layout;
  int64_t heads, size; // H and D
  Extent rows;         // S

  /// Returns the rows of a tensor of this type and layout.
  static HeadRows of(mlir::Operation *op, mlir::RankedTensorType type, Layout layout);
  /// Whether the rows of a head are below those of the previous head.
  bool areBelow() const { return layout == Layout::Bhsd || (rows.isFixed() && rows.number() == 1); }
  /// The type of the matrix for a tensor of this type.
  mlir::RankedTensorType matrixOf(mlir::RankedTensorType type) const;
  /// Emits the position in the matrix of a row of a head.
  std::pair<mlir::OpFoldResult, mlir::OpFoldResult> emitPosition(mlir::OpBuilder &b, mlir::Location loc,
                                                                 mlir::Value batch, mlir::Value head,
                                                                 mlir::OpFoldResult row) const;
  /// An element of the tensor [B,H,S,D].
  struct Element {
    mlir::Value batch, head, row, column;
  };
  /// Emits a read of an element of `tensor`, whose layout is that of this object.
  mlir::Value emitRead(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor, const Element &at) const;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_HEADROWS_H
