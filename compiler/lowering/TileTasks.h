//===- TileTasks.h - linalg ops cut into tasks and tiles ------------------===//

#ifndef HEDDLE_LOWERING_TILETASKS_H
#define HEDDLE_LOWERING_TILETASKS_H

#include "Emit.h"

namespace heddle {

class Sizes;

/// A rectangular part of an op's iteration space.
struct TileBox {
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  llvm::SmallVector<int64_t> sizes;
};

/// The destination of a result. If the op's init is a fill, `start` is the scalar and each tile is filled in place;
/// else `start` is null. `tensor` is the kernel's out argument if possible.
struct TileDestination {
  mlir::Value tensor;
  mlir::Value start;
};
llvm::SmallVector<TileDestination> emitDestinations(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Emits the op on the box, with slices of its inputs and of `targets`. Targets have the shapes of the whole results;
/// or they are parts of them, in which the box is at `inTargets`; a null target means that the tile is a new tensor.
/// Targets with a start are filled first.
mlir::linalg::LinalgOp emitTileOp(mlir::OpBuilder &b, mlir::linalg::LinalgOp op, const TileBox &box,
                                  llvm::ArrayRef<TileDestination> targets, const TileBox *inTargets = nullptr);

/// Returns the position of the box in result `number` of the op.
TileBox resultBox(mlir::OpBuilder &b, mlir::linalg::LinalgOp op, unsigned number, const TileBox &box);

/// Emits one scf.forall over `counts` iterations. The loops in `loops` advance from `first` by the sizes of `first`;
/// all others run as a whole. `body` computes the box into the targets that it gets.
void emitBoxTasks(mlir::OpBuilder &b, mlir::linalg::LinalgOp op, const TileBox &first,
                  llvm::ArrayRef<unsigned> loops, llvm::ArrayRef<int64_t> counts,
                  llvm::MutableArrayRef<TileDestination> dests,
                  llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, const TileBox &,
                                                                    llvm::ArrayRef<TileDestination>)> body);

/// Lowers an elementwise op, gather, transposition or reduction to tasks.
void lowerGeneralOp(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Like lowerGeneralOp, for an op whose sizes lie in ranges. Fails without a change if some result is not indexed by
/// the loops over these sizes.
mlir::LogicalResult lowerAnyBox(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, const Sizes &sizes);

/// Lowers a contraction to tasks over batch, panels of columns and blocks of rows. A register tile has `registers`
/// accumulators of `lanes` elements. Fails without a change if there is no dimension along which the result and one
/// operand can be cut into panels.
mlir::LogicalResult lowerContraction(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, int64_t lanes,
                                     int64_t panel, int64_t registers);

/// Lowers tensor.concat, tensor.pad and results that are views of arguments to copies.
void lowerMoves(mlir::RewriterBase &rewriter, mlir::func::FuncOp func);
/// Lowers tensor.pad inside of tasks.
void lowerMovesInTasks(mlir::RewriterBase &rewriter, mlir::func::FuncOp func);

} // namespace heddle

#endif // HEDDLE_LOWERING_TILETASKS_H
