//===- Emit.h - code that several lowerings share -------------------------===//

#ifndef HEDDLE_LOWERING_EMIT_H
#define HEDDLE_LOWERING_EMIT_H

#include "vectorize/Hints.h"

#include "Extent.h"
#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Emits the activation function of a scalar. NaN stays NaN.
mlir::Value emitActivation(mlir::OpBuilder &b, mlir::Location loc, Activation activation, mlir::Value x);

/// Emits exp(x), or 2^x if `ofTwo`. x must be at most 0, or NaN.
mlir::Value emitExpOfNonPositive(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, bool ofTwo = false);

/// Emits a floating-point constant of type `type`.
mlir::Value emitFloat(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, double value);

/// Returns a tensor of type `type` in which to compute `result`; `type` may be a reshape of the type of `result`. If
/// the surrounding task inserts `result` into its output, the tensor is a slice of this output. If the kernel returns
/// `result`, possibly through reshapes, and its out argument (the argument to write this result into) has no use
/// yet, the tensor is this argument. Otherwise, it is a new tensor.
mlir::Value emitDestination(mlir::RewriterBase &rewriter, mlir::Value result, mlir::RankedTensorType type);

/// Returns whether `value` is an argument that the kernel may write to, such as a state that is updated in place.
bool isDestination(mlir::Value value);

/// Emits a reshape to another static shape with the same number of elements, as tensor.expand_shape and
/// tensor.collapse_shape.
mlir::Value emitReshape(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// These functions emit tensor.extract_slice and tensor.insert_slice with unit strides. If an entry of `sizes` is 0,
/// the slice contains only the index at the offset in this dimension, and the type of the slice does not have the
/// dimension.
mlir::Value emitSlice(mlir::OpBuilder &b, mlir::Location loc, mlir::Value source,
                      llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<int64_t> sizes);
mlir::Value emitInsert(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile, mlir::Value target,
                       llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<int64_t> sizes);

/// Emits factor * index + offset.
mlir::OpFoldResult emitAffine(mlir::OpBuilder &b, mlir::Location loc, mlir::OpFoldResult index, int64_t factor,
                              int64_t offset);

/// A part of a tensor that a task computes, with its position in the tensor.
struct TaskPart {
  mlir::Value part;
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes;
};
/// Emits an scf.forall over `counts` whose iterations (tasks) compute parts of `dest` with sizes that may differ.
/// The arguments of `body` are the induction variables and the shared output. `body` returns the part with its offsets
/// and sizes.
mlir::Value emitTaskParts(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<Extent> counts, mlir::Value dest,
                          llvm::function_ref<TaskPart(mlir::OpBuilder &, mlir::ValueRange, mlir::Value)> body);
/// Like emitTaskParts with one destination, but each iteration computes a part of every tensor in `dests`.
mlir::ResultRange emitTaskParts(
    mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<Extent> counts, mlir::ValueRange dests,
    llvm::function_ref<llvm::SmallVector<TaskPart>(mlir::OpBuilder &, mlir::ValueRange, mlir::ValueRange)> body);

/// A tile that a task computes, with its offsets in the tensor.
struct TaskTile {
  mlir::Value tile;
  llvm::SmallVector<mlir::OpFoldResult> offsets;
};
/// Emits an scf.forall over `counts` whose iterations (tasks) compute tiles of `dest` of static `sizes`. `body` returns
/// the tile and its offsets. If an entry of `sizes` is 0, a tile contains only the index at the offset in this
/// dimension of `dest`, and the type of the tile does not have the dimension.
mlir::Value emitTasks(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<Extent> counts, mlir::Value dest,
                      llvm::ArrayRef<int64_t> sizes,
                      llvm::function_ref<TaskTile(mlir::OpBuilder &, mlir::ValueRange, mlir::Value)> body);

/// Emits code that runs `body` on row tiles of `target`. For a fixed number of rows, the code has a loop over tiles of
/// `step` rows and one tile with the remaining rows. For a number of rows that is known only at run time (at least 1),
/// tiles have `step` rows, or the largest step / 2^i rows that does not exceed the number. The last tile then ends with
/// the last row and may overlap the tile before it, so `body` must not read the rows that it writes. If hasTileOfEach()
/// (TileOfEach.h) returns true, one tile contains all rows instead.
mlir::Value emitRowLoop(
    mlir::OpBuilder &b, mlir::Location loc, const Extent &rows, int64_t step, mlir::Value target,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::OpFoldResult row, int64_t count, mlir::Value target)> body);
/// Emits the row tiles of several targets that begin at `row` and have `count` rows. Returns the targets with the tiles
/// written to them.
using RowLoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::OpFoldResult row,
                                                                      int64_t count, mlir::ValueRange targets)>;
/// Like emitRowLoop with one target, but `body` computes row tiles of several targets.
llvm::SmallVector<mlir::Value> emitRowLoop(mlir::OpBuilder &b, mlir::Location loc, const Extent &rows, int64_t step,
                                           mlir::ValueRange targets, RowLoopBody body);

/// A share of some rows: the first row and the number of rows.
struct RowShare {
  mlir::Value first;
  Extent count;
};
/// Cuts `rows` into `shares` nearly equal shares, and returns the share with the index `number`. The number of rows of
/// each share is a multiple of `unit`, except that the last share ends with the last row.
RowShare emitShare(mlir::OpBuilder &b, mlir::Location loc, const Extent &rows, int64_t unit, const Extent &shares,
                   mlir::Value number);

/// A partition of rows into `blocks` blocks of `size` rows and a last block of `rest` rows (possibly 0).
struct RowBlocks {
  int64_t blocks, size, rest;
};
/// Cuts `rows` into about `wanted` blocks whose size is a multiple of `unit`, or into one block.
RowBlocks cutRows(int64_t rows, int64_t unit, int64_t wanted);

} // namespace heddle

#endif // HEDDLE_LOWERING_EMIT_H
