//===- BoxLowering.h - lowering of an op to thread tiles --------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_BOXES_BOXLOWERING_H
#define HEDDLE_LOWERING_BOXES_BOXLOWERING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Returns the loop that indexes the last dimension of an operand; nullopt if this is not a single loop.
std::optional<unsigned> lastLoop(mlir::AffineMap map);

/// Returns whether a tensor is an argument of the kernel or a shared output of the outermost scf.forall, or a slice or
/// reshape of one.
bool isPassed(mlir::Value value);

/// Lowers one op to thread tiles, the parts of the result that single threads of a workgroup compute, as described in
/// LowerBoxes.h. Private functions are documented in LowerBoxes.cpp and BoxSums.cpp.
class BoxLowering {
public:
  BoxLowering(mlir::RewriterBase &b, mlir::linalg::LinalgOp op, int64_t threads)
      : b(b), op(op), loc(op.getLoc()), threads(threads), ranges(op.getStaticLoopRanges()) {}
  /// Replaces the op. Fails without a change if it cannot be computed in thread tiles.
  mlir::LogicalResult run();

private:
  /// A contraction of at least this length whose vectors lie along the result is not computed in steps (emitStaged). It
  /// is divided among threads (emitParts) if enough threads are idle.
  static constexpr int64_t longSum = 256;

  bool classify();
  bool isLongContraction() { return sum && !foldsLanes && op.getNumDpsInputs() > 1 && ranges[*sum] >= longSum; }
  void chooseBox();
  int64_t rowsOf(mlir::AffineMap map);
  mlir::OpOperand *findStaged();
  mlir::Value emitStaged(mlir::OpOperand &operand);
  mlir::Value emitParts(mlir::TypedAttr neutral, mlir::Operation *combiner);
  llvm::SmallVector<mlir::Value> emitBoxes();
  void mapToThreads(mlir::Value result, int64_t count);
  int64_t countBoxes();

  mlir::RewriterBase &b;
  mlir::linalg::LinalgOp op;
  mlir::Location loc;
  int64_t threads;                   // the number of threads of the workgroup
  llvm::SmallVector<int64_t> ranges; // the trip count of each loop
  llvm::SmallVector<unsigned> order; // parallel loops in the order of the result's dimensions
  std::optional<unsigned> sum;       // the reduction loop
  bool foldsLanes = false;           // whether vectors lie along the reduction loop, not along the result
  llvm::SmallVector<int64_t> box;    // the size of a thread's tile along each loop
};

} // namespace heddle

#endif // HEDDLE_LOWERING_BOXES_BOXLOWERING_H
