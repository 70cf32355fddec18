//===- StageReplay.h - @main run once more, kernel by kernel ----*- C++ -*-===//

#ifndef HEDDLE_VERIFY_STAGEREPLAY_H
#define HEDDLE_VERIFY_STAGEREPLAY_H

#include "heddle/StageBisect.h"

namespace heddle {

/// The tensor with the element type that a stage gives it: a boolean takes a byte in memory, a float may be rounded.
Tensor withType(const Tensor &tensor, mlir::Type elementType);

/// The elements of a tensor or of what a buffer holds now.
mlir::FailureOr<Tensor> currentElements(mlir::Operation *op, const Tensor &value);

/// Runs @main after one of the stages from `tile` on.
class StageBisect::Replay {
public:
  Replay(StageBisect &bisect, Stage stage, mlir::func::FuncOp main);
  mlir::LogicalResult run();

private:
  mlir::LogicalResult makeArguments();
  mlir::LogicalResult replayCall(mlir::func::CallOp op, llvm::MutableArrayRef<Tensor> operands,
                                 llvm::SmallVectorImpl<Tensor> &results);
  mlir::LogicalResult checkOperand(mlir::func::CallOp op, unsigned i, Tensor &operand);
  bool checkPlaces(mlir::func::FuncOp kernel, llvm::ArrayRef<Tensor> operands, unsigned inputs);
  void judgeKernel(mlir::func::FuncOp kernel, llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<Tensor> destinations);
  mlir::LogicalResult checkOutputs(llvm::ArrayRef<Tensor> returned);

  StageBisect &bisect;
  Stage stage;
  mlir::func::FuncOp main;
  InterpreterOptions options;
  llvm::SmallVector<Tensor> arguments;
  llvm::SmallVector<Tensor> destinations; // of @main, once results are written where the caller says
  llvm::StringSet<> judged;
  size_t next = 0; // call
};

} // namespace heddle

#endif // HEDDLE_VERIFY_STAGEREPLAY_H
