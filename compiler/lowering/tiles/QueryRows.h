//===- QueryRows.h - the queries of a tile ----------------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILES_QUERYROWS_H
#define HEDDLE_LOWERING_TILES_QUERYROWS_H

#include "Extent.h"

namespace heddle {

/// The queries for which a workgroup computes attention, as rows of a tile: some queries of one head, or all queries of
/// several heads that share a key head, where the queries of a head are below those of the previous head.
struct QueryRows {
  mlir::Value batch, head, keyHead;      // `head` is the first head
  mlir::OpFoldResult firstQuery, height; // `height` is the number of rows that exist; the tile may have more
  int64_t heads = 1;
  Extent queries; // the number of queries of each head

  /// Emits the head to which a row belongs.
  mlir::Value emitHead(mlir::OpBuilder &b, mlir::Location loc, mlir::Value row) const;
  /// Emits the position of a row's query among the queries of its head, relative to `firstQuery`.
  mlir::Value emitQuery(mlir::OpBuilder &b, mlir::Location loc, mlir::Value row) const;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_QUERYROWS_H
