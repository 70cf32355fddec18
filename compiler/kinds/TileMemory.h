//===- TileMemory.h - tiles in workgroup memory -----------------*- C++ -*-===//

#ifndef HEDDLE_KINDS_TILEMEMORY_H
#define HEDDLE_KINDS_TILEMEMORY_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Emits the indices at which the element (row, column) of a tile lies in its buffer, which has the type `tile`.
///
/// A tile of 16-bit elements is swizzled: chunks of 16 bytes change places within their row, by an exclusive or of the
/// chunk's number with bits of the row's number. The chunks of eight successive rows that have the same number then lie
/// in different banks, so that ldmatrix reads them at once. Elements of a chunk stay neighbours. Other tiles are
/// row-major.
llvm::SmallVector<mlir::Value> emitTileIndices(mlir::ImplicitLocOpBuilder &b, mlir::MemRefType tile, mlir::Value row,
                                               mlir::Value column);

} // namespace heddle

#endif // HEDDLE_KINDS_TILEMEMORY_H
