//===- TileTasks.h - linalg ops cut into tasks and tiles ------------------===//

#ifndef HEDDLE_LOWERING_TILETASKS_H
#define HEDDLE_LOWERING_TILETASKS_H

#include "Emit.h"

namespace heddle {

class Sizes;

/// A box of an op's iteration space.
struct TileBox {
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  llvm::SmallVector<int64_t> sizes;
};

/// Where the results of an op go: where its init is a fill, `start` is the filled scalar and
/// the tile is filled in place; the destination is the kernel's out argument if it can be.
struct TileDestination {
  mlir::Value tensor;
  mlir::Value start;
};
llvm::SmallVector<TileDestination> emitDestinations(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// The op on the box, with slices of its inputs and of `targets` (tensors of the whole
/// results' shapes; or parts of them, in which the box is `inTargets`; or none for a tile of its own). Targets with a
/// start are filled first.
mlir::linalg::LinalgOp emitTileOp(mlir::OpBuilder &b, mlir::linalg::LinalgOp op, const TileBox &box,
                                  llvm::ArrayRef<TileDestination> targets, const TileBox *inTargets = nullptr);

/// Where result `number` of the box lies in the whole result.
TileBox resultBox(mlir::OpBuilder &b, mlir::linalg::LinalgOp op, unsigned number, const TileBox &box);

/// One scf.forall over `counts` iterations; the loops named in `loops` advance by `steps` from
/// `first`, all others run whole. `body` computes the box into the targets it gets.
void emitBoxTasks(mlir::OpBuilder &b, mlir::linalg::LinalgOp op, const TileBox &first,
                  llvm::ArrayRef<unsigned> loops, llvm::ArrayRef<int64_t> counts,
                  llvm::MutableArrayRef<TileDestination> dests,
                  llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, const TileBox &,
                                                                    llvm::ArrayRef<TileDestination>)> body);

/// An elementwise op, gather, transposition or reduction as tasks.
void lowerGeneralOp(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// The same for an op over sizes that lie in ranges. Fails without a change where a result is not cut along these.
mlir::LogicalResult lowerAnyBox(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, const Sizes &sizes);

/// A contraction as tasks over batch, panels and blocks of rows. Fails without a change where it
/// has no dimension along which the result and one operand can be cut into panels. A register tile
/// has `registers` accumulators of `lanes` elements.
mlir::LogicalResult lowerContraction(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, int64_t lanes,
                                     int64_t panel, int64_t registers);

/// tensor.concat, tensor.pad and results that are views of arguments, as copies.
void lowerMoves(mlir::RewriterBase &rewriter, mlir::func::FuncOp func);
/// tensor.pad inside of tasks.
void lowerMovesInTasks(mlir::RewriterBase &rewriter, mlir::func::FuncOp func);

} // namespace heddle

#endif // HEDDLE_LOWERING_TILETASKS_H
