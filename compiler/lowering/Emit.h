//===- Emit.h - pieces that the lowerings of several ops share ------------===//

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

/// The elementwise function on one scalar. NaN stays NaN.
mlir::Value emitActivation(mlir::OpBuilder &b, mlir::Location loc, Activation activation, mlir::Value x);

/// exp(x), or 2^x, of what is at most 0 or NaN.
mlir::Value emitExpOfNonPositive(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, bool ofTwo = false);

/// A float constant of the type.
mlir::Value emitFloat(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, double value);

/// Where `result` should be computed, as a tensor of `type` (its elements in row-major
/// order): the kernel's out argument if the result is returned through nothing but
/// reshapes, a new tensor otherwise.
mlir::Value emitDestination(mlir::RewriterBase &rewriter, mlir::Value result, mlir::RankedTensorType type);

/// Whether `value` is an argument of a kernel that it may write to: a state that is updated where it lies.
bool isDestination(mlir::Value value);

/// The same elements in another static shape, through expand_shape and collapse_shape.
mlir::Value emitReshape(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                        llvm::ArrayRef<int64_t> shape);

/// tensor.extract_slice and tensor.insert_slice with unit strides; a `size` of 0 drops the dimension.
mlir::Value emitSlice(mlir::OpBuilder &b, mlir::Location loc, mlir::Value source,
                      llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<int64_t> sizes);
mlir::Value emitInsert(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile, mlir::Value target,
                       llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<int64_t> sizes);

/// factor * index + offset.
mlir::OpFoldResult emitAffine(mlir::OpBuilder &b, mlir::Location loc, mlir::OpFoldResult index, int64_t factor,
                              int64_t offset);

/// An scf.forall over `counts` whose iterations compute parts of `dest` of sizes that they find out themselves. `body`
/// gets the induction variables and the shared output.
struct TaskPart {
  mlir::Value part;
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes;
};
mlir::Value emitTaskParts(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<Extent> counts, mlir::Value dest,
                          llvm::function_ref<TaskPart(mlir::OpBuilder &, mlir::ValueRange, mlir::Value)> body);
/// The same for several destinations.
mlir::ResultRange emitTaskParts(
    mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<Extent> counts, mlir::ValueRange dests,
    llvm::function_ref<llvm::SmallVector<TaskPart>(mlir::OpBuilder &, mlir::ValueRange, mlir::ValueRange)> body);

/// The same for one tile of `dest` per iteration, whose offsets `body` returns with it; a size of 0 among `sizes` drops
/// the dimension in the tile.
struct TaskTile {
  mlir::Value tile;
  llvm::SmallVector<mlir::OpFoldResult> offsets;
};
mlir::Value emitTasks(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<Extent> counts, mlir::Value dest,
                      llvm::ArrayRef<int64_t> sizes,
                      llvm::function_ref<TaskTile(mlir::OpBuilder &, mlir::ValueRange, mlir::Value)> body);

/// Runs `body` on row tiles of `target`: a loop over tiles of `step` rows, then the rest. Where only the call knows how
/// many rows there are, at least 1, there are tiles of `step` rows, or of half of it, and so on, where there are fewer,
/// and the last one begins so early that it fits: what `body` reads must not be what it writes then.
mlir::Value emitRowLoop(
    mlir::OpBuilder &b, mlir::Location loc, const Extent &rows, int64_t step, mlir::Value target,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::OpFoldResult row, int64_t count, mlir::Value target)> body);
/// The same for several targets.
using RowLoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::OpFoldResult row,
                                                                      int64_t count, mlir::ValueRange targets)>;
llvm::SmallVector<mlir::Value> emitRowLoop(mlir::OpBuilder &b, mlir::Location loc, const Extent &rows, int64_t step,
                                           mlir::ValueRange targets, RowLoopBody body);

/// Share `number` of `shares` equal ones of `rows`, in whole units but for the end of the last.
struct RowShare {
  mlir::Value first;
  Extent count;
};
RowShare emitShare(mlir::OpBuilder &b, mlir::Location loc, const Extent &rows, int64_t unit, const Extent &shares,
                   mlir::Value number);

/// `rows` cut into `blocks` blocks of `size`, all full, and a last one of `rest` rows (or 0).
struct RowBlocks {
  int64_t blocks, size, rest;
};
/// About `wanted` blocks whose size is a multiple of `unit`.
RowBlocks cutRows(int64_t rows, int64_t unit, int64_t wanted);

} // namespace heddle

#endif // HEDDLE_LOWERING_EMIT_H
