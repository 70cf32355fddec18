//===- KernelFaults.h - faults that the PTX interpreter finds ---*- C++ -*-===//

#ifndef HEDDLE_TESTS_TARGETS_CUDA_KERNELFAULTS_H
#define HEDDLE_TESTS_TARGETS_CUDA_KERNELFAULTS_H

#include "targets/OnDevice.h"

/// A fixture for tests that put a fault into a kernel. `strategy` is the value of --strategy.
struct KernelFaults : OnInterpreter<QuotedOperations> {
  /// Compiles a quoted operation; `change` changes its module after `stage`. Expects that the call fails, with an error
  /// that contains `reason` and names the kernel and a line of the PTX text. This line must contain `instruction`.
  void expectNamed(llvm::StringRef operation, heddle::Stage stage, llvm::function_ref<void(mlir::ModuleOp)> change,
                   llvm::StringRef instruction, llvm::StringRef reason);
};

/// Erases the operations of a type for which `matches` is true; there must be some.
template <typename OpTy>
void eraseAll(mlir::ModuleOp module, llvm::function_ref<bool(OpTy)> matches = [](OpTy) { return true; }) {
  llvm::SmallVector<OpTy> found;
  module.walk([&](OpTy op) {
    if (matches(op))
      found.push_back(op);
  });
  EXPECT_FALSE(found.empty());
  for (OpTy op : found)
    op.erase();
}

#endif // HEDDLE_TESTS_TARGETS_CUDA_KERNELFAULTS_H
