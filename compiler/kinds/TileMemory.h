//===- TileMemory.h - tiles in workgroup memory -----------------*- C++ -*-===//

#ifndef HEDDLE_KINDS_TILEMEMORY_H
#define HEDDLE_KINDS_TILEMEMORY_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Emits the indices at which the element (row, column) of a tile lies in its buffer, which has the type `tile`.
///
/// If `rowsApart` is 0, or if the rows of the tile do not consist of an even number of chunks of 16 bytes, the tile is
/// row-major. Otherwise it is swizzled: the chunks are permuted within their row. The new position of a chunk is the
/// exclusive or of its index in the row and some bits of the row's index. In eight rows that are `rowsApart` rows apart
/// and whose first index is a multiple of 8 x `rowsApart`, the chunks with the same index then lie in different banks if
/// a row has a multiple of 128 bytes or `rowsApart` is 1, so lanes can read all of them at once. The elements of a chunk
/// remain adjacent.
llvm::SmallVector<mlir::Value> emitTileIndices(mlir::ImplicitLocOpBuilder &b, mlir::MemRefType tile, int64_t rowsApart,
                                               mlir::Value row, mlir::Value column);

} // namespace heddle

#endif // HEDDLE_KINDS_TILEMEMORY_H
