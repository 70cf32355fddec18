//===- QueryLanes.h - queries in lanes, counted at run time -----*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_QUERYLANES_H
#define HEDDLE_COMPILER_LOWERING_QUERYLANES_H

#include "TileBuilder.h"

namespace heddle {

/// A block of queries in lanes, if the number of queries is known only at run time. Lanes beyond the queries repeat the
/// last query; their results are computed, but not stored.
struct QueryLanes {
  Extent count;  // the number of queries, at least 1
  int64_t lanes; // the number of lanes

  /// Emits a tensor [lanes][columns] with a row of `from` for each lane, after `change` was applied to its elements.
  /// The first lane contains the row at the indices `first`, and the next lanes contain the rows after it. `queryAt`
  /// and `columnAt` are the dimensions of `from` along queries and columns. Only `used` columns are read; the remaining
  /// columns of the result are undefined.
  mlir::Value emitRows(TileBuilder &b, mlir::Value from, llvm::ArrayRef<mlir::OpFoldResult> first, unsigned queryAt,
                       unsigned columnAt, const Extent &used, int64_t columns, TileBuilder::Body change) const;
  /// Emits a tensor [lanes] with an element of `from` for each lane. The first lane contains the element at the indices
  /// `first`, and the next lanes contain the elements after it along dimension `queryAt`.
  mlir::Value emitElements(TileBuilder &b, mlir::Value from, llvm::ArrayRef<mlir::OpFoldResult> first,
                           unsigned queryAt) const;
  /// Copies the rows of the queries from `rows` [lanes][columns] to `target`, and returns the changed `target`.
  mlir::Value emitStored(TileBuilder &b, mlir::Value rows, const Extent &columns, mlir::Value target) const;
};

/// Emits the transposed matrix.
mlir::Value emitTransposed(TileBuilder &b, mlir::Value rows);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_QUERYLANES_H
