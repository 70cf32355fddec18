//===- GlobalPart.h - parts of matrices in global memory --------*- C++ -*-===//

#ifndef HEDDLE_TILES_GLOBALPART_H
#define HEDDLE_TILES_GLOBALPART_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// A matrix or vector in global memory: the part of `buffer` that begins at `offsets`.
struct GlobalPart {
  mlir::Value buffer;
  llvm::SmallVector<mlir::Value> offsets;

  /// Returns the part of a buffer to which `view` refers. Emits sums of offsets with `b`.
  static GlobalPart of(mlir::ImplicitLocOpBuilder &b, mlir::Value view);
  /// Returns whether vectors of `count` elements of the part are aligned to their size if they begin at multiples of
  /// `count` in the last dimension.
  bool isAligned(int64_t count) const;
  /// Emits a view of `rows` x `columns` elements. Its first element is element (row, column) of the part, and its rows
  /// are as far apart in memory as the rows of `buffer`. Accesses to the view at constant indices differ only in the
  /// constant parts of their addresses, so they share a register for the address. `buffer` must have the identity
  /// layout and a static last dimension; it does if `isAligned` returns true.
  mlir::Value emitView(mlir::ImplicitLocOpBuilder &b, mlir::Value row, mlir::Value column, int64_t rows,
                       int64_t columns) const;
  /// Emits the indices in `buffer` of the element of the part at `indices`.
  llvm::SmallVector<mlir::Value> emitIndices(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange indices) const;
};

/// Emits `end`, the end of the rows or columns of a part of a tile. `size` is the number of rows or columns of the
/// whole tile. Returns null if the part is known to end with the tile.
mlir::Value emitEnd(mlir::ImplicitLocOpBuilder &b, mlir::OpFoldResult end, int64_t size);
/// Emits whether an unsigned index is less than `end`.
mlir::Value emitLess(mlir::ImplicitLocOpBuilder &b, mlir::Value index, mlir::Value end);

} // namespace heddle

#endif // HEDDLE_TILES_GLOBALPART_H
