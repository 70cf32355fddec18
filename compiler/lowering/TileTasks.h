//===- TileTasks.h - linalg ops cut into tasks and tiles ------------------===//

#ifndef HEDDLE_LOWERING_TILETASKS_H
#define HEDDLE_LOWERING_TILETASKS_H

#include "Emit.h"

namespace heddle {

class Sizes;

/// A rectangular part of an op's iteration space, or of a tensor: an offset and a size for each loop or dimension.
struct TileBox {
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  llvm::SmallVector<int64_t> sizes;
};

/// The destination of a result of an op. If all elements of the op's init are the same scalar, `start` is this scalar,
/// and each tile is filled with it before the tile is computed; otherwise `start` is null. `tensor` is the op's init if
/// `start` is null and the init is no tensor.empty, and otherwise the tensor that emitDestination (Emit.h) returns.
struct TileDestination {
  mlir::Value tensor;
  mlir::Value start;
};

/// Returns the destination of each result of `op`.
llvm::SmallVector<TileDestination> emitDestinations(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Emits the op on the part `box` of its iteration space, with slices of its inputs and of `targets`, and returns the
/// new op. If `inTargets` is null, the tensor of each target is a whole result of the op. Otherwise, it is the part of
/// a result that belongs to a larger part of the iteration space, which contains `box`. `inTargets` is then the
/// position of `box` in that larger part. If a target has a `start` value, the tile is first filled with this value. If
/// the tensor of a target is null, the tile is a new tensor if the target has a `start` value, and a slice of the op's
/// init otherwise.
mlir::linalg::LinalgOp emitTileOp(mlir::OpBuilder &b, mlir::linalg::LinalgOp op, const TileBox &box,
                                  llvm::ArrayRef<TileDestination> targets, const TileBox *inTargets = nullptr);

/// Returns the offsets and sizes of the part of result `number` that the op computes on `box`.
TileBox resultBox(mlir::OpBuilder &b, mlir::linalg::LinalgOp op, unsigned number, const TileBox &box);

/// Emits one scf.forall with counts[k] iterations along the loop loops[k]. Each iteration computes a part of the op's
/// iteration space: the first iteration computes `first`, and from one iteration to the next, the offset along loops[k]
/// grows by the size of `first` along this loop. Offsets along all other loops, and all sizes, stay the same. `body`
/// gets the part and the shared outputs, and returns the tile of each result. Sets the tensors of `dests` to the
/// results of the scf.forall.
void emitBoxTasks(mlir::OpBuilder &b, mlir::linalg::LinalgOp op, const TileBox &first,
                  llvm::ArrayRef<unsigned> loops, llvm::ArrayRef<int64_t> counts,
                  llvm::MutableArrayRef<TileDestination> dests,
                  llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, const TileBox &,
                                                                    llvm::ArrayRef<TileDestination>)> body);

/// Divides an elementwise op, gather, transposition or reduction into tasks. An op with little work, or without a loop
/// that can be divided, stays one op.
void lowerGeneralOp(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Like lowerGeneralOp, for an op whose sizes lie in ranges (`sizes` are those of its module). Fails without a change
/// if a parallel loop over a size in a range does not index every result, or if the dimensions of a result are not
/// indexed by different loops.
mlir::LogicalResult lowerAnyBox(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, const Sizes &sizes);

/// Lowers a contraction to tasks over batch dimensions, panels of columns and blocks of rows. A register tile has
/// `registers` accumulators of `lanes` elements, and `panel` columns. Fails without a change if there is no dimension
/// along which the result and an operand can be cut into panels, or if lowerGeneralOp is faster, for example for a
/// product with a vector.
mlir::LogicalResult lowerContraction(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, int64_t lanes,
                                     int64_t panel, int64_t registers);

/// Lowers tensor.concat and tensor.pad to copies. `func` writes its results into some of its arguments, its out
/// arguments. If `func` returns a constant, a slice, or a view of a constant or of an argument that it does not write,
/// this function also copies the returned value to its out argument.
void lowerMoves(mlir::RewriterBase &rewriter, mlir::func::FuncOp func);
/// Lowers each tensor.pad inside of a task to a fill and a copy.
void lowerMovesInTasks(mlir::RewriterBase &rewriter, mlir::func::FuncOp func);

} // namespace heddle

#endif // HEDDLE_LOWERING_TILETASKS_H
