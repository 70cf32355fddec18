//===- RowOps.h - linalg on tiles of rows ---------------------------------===//

#ifndef HEDDLE_LOWERING_ROWOPS_H
#define HEDDLE_LOWERING_ROWOPS_H

#include "Emit.h"

namespace heddle {

/// What a generic op on a tile [rows, columns] reads: the whole tile, one value per row,
/// or one per column.
enum class RowAccess { Tile, Row, Column };
struct RowInput {
  mlir::Value value;
  RowAccess access;
};
using RowBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange)>;

/// One linalg.generic over a tile. Outputs with `Row` (or `Column`) access are reductions
/// along the other dimension; the body gets the inputs' elements, then the outputs'.
mlir::ValueRange emitRowOp(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<RowInput> inputs,
                           llvm::ArrayRef<RowInput> outputs, RowBody body);

/// Lets a reduction of rows finish one row before it begins the next: for rows that come
/// from memory, where several streams at once would be slower.
void emitRowByRow(mlir::ValueRange results);

/// Asks heddle-stream-results to let what the function around `op` writes bypass the caches.
void askForStreaming(mlir::Operation *op);

/// A tensor of `size` elements that are all `value`.
mlir::Value emitFilled(mlir::OpBuilder &b, mlir::Location loc, int64_t size, mlir::Type element, double value);

/// Tasks over blocks of the rows of `dest` [rows, columns], in each a loop over tiles of at
/// most `step` rows, fewer where these do not fit into the first cache. `body` gets the tile's first row (in the whole), its rows and its
/// place in dest and returns the finished tile. `apart`: each tile is a task.
mlir::Value emitRowTasks(mlir::OpBuilder &b, mlir::Location loc, mlir::Value dest, int64_t step, bool apart,
                         llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::OpFoldResult row, int64_t rows,
                                                        mlir::Value target)> body);
/// The same for several destinations [rows, ..], whose rows are as much work as `columns` elements of 4 bytes.
llvm::SmallVector<mlir::Value> emitRowTasks(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange dests,
                                            int64_t columns, int64_t step, RowLoopBody body);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROWOPS_H
