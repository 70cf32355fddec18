//===- StageReplay.h - runs @main again and checks each kernel --*- C++ -*-===//

#ifndef HEDDLE_VERIFY_STAGEREPLAY_H
#define HEDDLE_VERIFY_STAGEREPLAY_H

#include "heddle/StageBisect.h"

namespace heddle {

/// Converts the tensor to the element type that a later stage uses: a boolean becomes a byte in memory, and a float may
/// be rounded.
Tensor withType(const Tensor &tensor, mlir::Type elementType);

/// Returns the elements of a tensor or, if it has a buffer, the current elements of the buffer.
mlir::FailureOr<Tensor> currentElements(mlir::Operation *op, const Tensor &value);

/// Runs @main after one of the stages from `tile` on, and compares the results of each kernel that it calls.
class StageBisect::Replay {
public:
  /// `stage` is the stage after which `main` is interpreted.
  Replay(StageBisect &bisect, Stage stage, mlir::func::FuncOp main);
  /// Interprets @main and records all comparisons and errors in `bisect`.
  mlir::LogicalResult run();

private:
  /// Creates the arguments of @main.
  mlir::LogicalResult makeArguments();
  /// Checks the operands and the kernel of the next call, and returns the results of stage `kernels` for the call, so
  /// that an error does not affect later kernels.
  mlir::LogicalResult replayCall(mlir::func::CallOp op, llvm::MutableArrayRef<Tensor> operands,
                                 llvm::SmallVectorImpl<Tensor> &results);
  /// Compares operand `i` of a call with the operand at stage `kernels`.
  mlir::LogicalResult checkOperand(mlir::func::CallOp op, unsigned i, Tensor &operand);
  /// Returns whether none of the first `inputs` operands overlaps a buffer, other than the arena, that the kernel
  /// writes. Records an overlap as an error of @main.
  bool checkPlaces(mlir::func::FuncOp kernel, llvm::ArrayRef<Tensor> operands, unsigned inputs);
  /// Compares the kernel's results, which it writes to `places`, with the reference.
  void judgeKernel(mlir::func::FuncOp kernel, llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<Tensor> places);
  /// Compares the results of @main with the results at stage `kernels`.
  mlir::LogicalResult checkOutputs(llvm::ArrayRef<Tensor> returned);

  StageBisect &bisect;
  Stage stage;
  mlir::func::FuncOp main;
  InterpreterOptions options;
  llvm::SmallVector<Tensor> arguments;    // the arguments of @main
  llvm::SmallVector<Tensor> destinations; // the buffers for the results of @main, after bufferization
  llvm::StringSet<> judged;               // the names of the kernels that were compared
  size_t next = 0;                        // the index of the next call in StageBisect::calls
};

} // namespace heddle

#endif // HEDDLE_VERIFY_STAGEREPLAY_H
