//===- BoxLowering.h - lowering of an op to thread tiles --------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_BOXES_BOXLOWERING_H
#define HEDDLE_LOWERING_BOXES_BOXLOWERING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The loop that an operand's last dimension follows.
std::optional<unsigned> lastLoop(mlir::AffineMap map);

/// Whether a tensor is part of one that the kernel was passed.
bool isPassed(mlir::Value value);

/// The lowering of one op (lowerBoxes).
class BoxLowering {
public:
  BoxLowering(mlir::RewriterBase &b, mlir::linalg::LinalgOp op, int64_t threads)
      : b(b), op(op), loc(op.getLoc()), threads(threads), ranges(op.getStaticLoopRanges()) {}
  mlir::LogicalResult run();

private:
  /// A contraction so long is shared out among threads before it is cut into pieces.
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
  int64_t threads;
  llvm::SmallVector<int64_t> ranges;
  llvm::SmallVector<unsigned> order; // parallel loops, as the result's dimensions follow them
  std::optional<unsigned> sum;       // the loop that is summed up over
  bool foldsLanes = false;           // along it are the lanes
  llvm::SmallVector<int64_t> box;    // sizes of a thread's part
};

} // namespace heddle

#endif // HEDDLE_LOWERING_BOXES_BOXLOWERING_H
