//===- RowOps.h - linalg on tiles of rows ---------------------------------===//

#ifndef HEDDLE_LOWERING_ROWOPS_H
#define HEDDLE_LOWERING_ROWOPS_H

#include "Emit.h"

namespace heddle {

/// How an op on a tile [rows, columns] indexes an operand: `Tile` by row and column, `Row` by row only, `Column` by
/// column only.
enum class RowAccess { Tile, Row, Column };

/// An input or output of an op on a tile: a tensor [rows, columns], [rows] or [columns].
struct RowInput {
  mlir::Value value;
  RowAccess access;
};

/// Emits the scalar code of an op on a tile, given the elements of its operands, and returns the elements of its
/// outputs.
using RowBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange)>;

/// Emits one linalg.generic over a tile. An output with `Row` (or `Column`) access is a reduction along the other
/// dimension. The body gets the elements of the inputs, followed by the elements of the outputs.
mlir::ValueRange emitRowOp(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<RowInput> inputs,
                           llvm::ArrayRef<RowInput> outputs, RowBody body);

/// Emits one linalg.generic on tensors [rows]. The body is like that of emitRowOp.
mlir::ValueRange emitOfEachRow(mlir::OpBuilder &b, mlir::ValueRange inputs, mlir::ValueRange outputs, RowBody body);

/// Annotates the reduction along rows that returns `results`. Vectorization then finishes one row before it begins the
/// next, which is faster if the rows are read from memory instead of a cache.
void emitRowByRow(mlir::ValueRange results);

/// Annotates the function that contains `op`, so that heddle-stream-results lets the results of the function bypass the
/// caches.
void requestStreaming(mlir::Operation *op);

/// Emits a tensor of `size` elements of type `element`, each of which is `value`.
mlir::Value emitFilled(mlir::OpBuilder &b, mlir::Location loc, int64_t size, mlir::Type element, double value);

/// Emits tasks over blocks of the rows of `dest` [rows, columns]. Each task has a loop over tiles of at most `step`
/// rows, or of fewer (about 4 at least) if the input and the result of `step` rows do not fit into the first-level
/// cache. `body` gets the tile's first row within dest, its number of rows and the slice of dest to write, and returns
/// the finished tile. With `apart`, each tile is a task.
mlir::Value emitRowTasks(mlir::OpBuilder &b, mlir::Location loc, mlir::Value dest, int64_t step, bool apart,
                         llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::OpFoldResult row, int64_t rows,
                                                        mlir::Value target)> body);
/// Emits tasks over the rows of several destinations [rows, ..], which must all have the same number of rows. `columns`
/// is the work of a row, as a number of elements of 4 bytes.
llvm::SmallVector<mlir::Value> emitRowTasks(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange dests,
                                            int64_t columns, int64_t step, RowLoopBody body);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROWOPS_H
