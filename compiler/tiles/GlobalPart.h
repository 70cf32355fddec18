//===- GlobalPart.h - parts of matrices in global memory --------*- C++ -*-===//

#ifndef HEDDLE_TILES_GLOBALPART_H
#define HEDDLE_TILES_GLOBALPART_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// A matrix or vector in global memory: the part of `buffer` that begins at `offsets`.
struct GlobalPart {
  mlir::Value buffer;
  llvm::SmallVector<mlir::Value> offsets;

  /// Returns the part of a buffer that `view` shows. `b` emits sums of offsets.
  static GlobalPart of(mlir::ImplicitLocOpBuilder &b, mlir::Value view);
  /// Returns whether each vector of `count` elements of the part whose first index in the last dimension is a multiple
  /// of `count` is aligned to its size.
  bool isAligned(int64_t count) const;
  /// Emits a view of `rows` x `columns` elements. Its first element is element (row, column) of the part, and its rows
  /// are as far apart in memory as the rows of `buffer`. Accesses to the view at constant indices differ only in the
  /// constant parts of their addresses, so that they share a register. `buffer` must have the identity layout and a
  /// static last dimension, as it has if `isAligned` returns true.
  mlir::Value emitView(mlir::ImplicitLocOpBuilder &b, mlir::Value row, mlir::Value column, int64_t rows,
                       int64_t columns) const;
  /// Emits the indices in `buffer` of the element of the part at `indices`.
  llvm::SmallVector<mlir::Value> emitIndices(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange indices) const;
};

} // namespace heddle

#endif // HEDDLE_TILES_GLOBALPART_H
