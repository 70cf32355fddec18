//===- TileMemory.h - tiles in workgroup memory -----------------*- C++ -*-===//

#ifndef HEDDLE_KINDS_TILEMEMORY_H
#define HEDDLE_KINDS_TILEMEMORY_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Emits the indices at which the element (row, column) of a tile lies in its buffer, which has the type `tile`.
///
/// A tile of 16-bit elements is swizzled if its rows consist of an even number of chunks of 16 bytes: the chunks are
/// permuted within their row. The new position of a chunk is the exclusive or of its index in the row and some bits of
/// the row's index. In eight successive rows whose first index is a multiple of eight, the chunks with the same index
/// then lie in different banks, so ldmatrix can read all of them at once. The elements of a chunk remain adjacent. All
/// other tiles are row-major; if their rows consist of an odd number of chunks, ldmatrix needs no other order.
llvm::SmallVector<mlir::Value> emitTileIndices(mlir::ImplicitLocOpBuilder &b, mlir::MemRefType tile, mlir::Value row,
                                               mlir::Value column);

} // namespace heddle

#endif // HEDDLE_KINDS_TILEMEMORY_H
