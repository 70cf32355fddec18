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
  /// Returns whether each vector of `count` elements that begins at a multiple of `count` of the last index is aligned
  /// to its size.
  bool isAligned(int64_t count) const;
  /// Emits a view of a matrix whose first element is element (row, column) of the part, with the same rows; `rows` and
  /// `columns` are its extents. Accesses to it at constant indices then differ in the constant part of their addresses
  /// only, so that they share a register. The buffer must be aligned.
  mlir::Value emitView(mlir::ImplicitLocOpBuilder &b, mlir::Value row, mlir::Value column, int64_t rows,
                       int64_t columns) const;
  /// Emits the indices in `buffer` of the element of the part at `indices`.
  llvm::SmallVector<mlir::Value> emitIndices(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange indices) const;
};

} // namespace heddle

#endif // HEDDLE_TILES_GLOBALPART_H
