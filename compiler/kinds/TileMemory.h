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
/// and whose first index is a multiple of 8 x `rowsApart`, chunks with the same index then lie in different banks if a
/// row has a multiple of 128 bytes or `rowsApart` is 1, so lanes can read them all at once. The elements of a chunk
/// remain adjacent.
llvm::SmallVector<mlir::Value> emitTileIndices(mlir::ImplicitLocOpBuilder &b, mlir::MemRefType tile, int64_t rowsApart,
                                               mlir::Value row, mlir::Value column);

/// An element of a tile: the row `row` + `rowShift` and the column `column` + `columnShift`.
struct TileElement {
  mlir::Value row, column;
  int64_t rowShift = 0, columnShift = 0;
};
/// A buffer and the indices of an element in it.
struct TileAccess {
  mlir::Value buffer;
  llvm::SmallVector<mlir::Value> indices;
};
/// Emits the access to an element of `tile`, which is a buffer in workgroup memory or a part of one. With `pointers`,
/// accesses to elements that differ only in shifts refer to constant indices of one view if possible, so they share a
/// register for the address. In a swizzled tile, this is possible for shifts that differ by whole periods of the
/// permutation. Without `pointers`, each access has the indices of its element in `tile`. The strides of the tile and
/// the buffer are static; the elements of a row are adjacent, but rows need not be. `tile` must not be a part of the
/// columns of a swizzled tile, since chunks of other columns may lie among the chunks of the part.
TileAccess emitTileAccess(mlir::ImplicitLocOpBuilder &b, mlir::Value tile, int64_t rowsApart,
                          const TileElement &element, bool pointers);

} // namespace heddle

#endif // HEDDLE_KINDS_TILEMEMORY_H
