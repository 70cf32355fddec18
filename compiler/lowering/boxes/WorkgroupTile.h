//===- WorkgroupTile.h - tiles filled by a workgroup ----------------------===//

#ifndef HEDDLE_LOWERING_BOXES_WORKGROUPTILE_H
#define HEDDLE_LOWERING_BOXES_WORKGROUPTILE_H

#include "Emit.h"

namespace heddle {

/// The number of f32 elements in a load or store of 128 bits.
constexpr int64_t wideLanes = 4;

/// Emits the sum of the terms.
mlir::OpFoldResult emitSum(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<mlir::OpFoldResult> terms);

/// A function that returns the position of a piece of a tile in the source: the indices of the piece's first element. A
/// piece consists of adjacent elements of a row of the tile. `at` contains the indices of this row in the tile, and
/// then the number of the piece in the row.
using RowPlace = llvm::function_ref<llvm::SmallVector<mlir::OpFoldResult>(mlir::ValueRange at)>;

/// Emits a tile of `shape` in workgroup memory, which all threads fill from `source`, in pieces of `width` elements of
/// the last dimension. `place` returns the position of a piece in `source`. Adjacent threads read adjacent pieces. Each
/// row is followed by `apart` unused elements.
mlir::Value emitFilledTile(mlir::OpBuilder &b, mlir::Location loc, mlir::Value source, llvm::ArrayRef<int64_t> shape,
                           int64_t width, RowPlace place, int64_t apart);

} // namespace heddle

#endif // HEDDLE_LOWERING_BOXES_WORKGROUPTILE_H
