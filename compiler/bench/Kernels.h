//===- Kernels.h - kernels of a model and their work ------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_KERNELS_H
#define HEDDLE_BENCH_KERNELS_H

#include "Work.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// A kernel of the model, at stage `kernels`. A kernel is a private function with one layer or a group of elementwise
/// operations.
struct KernelInfo {
  // The names of the function, of its main operation, and of the strategy with which the default candidate lowers the
  // kernel. `strategy` is empty if there is none.
  std::string function, op, strategy;
  /// The sizes of operands and results, such as "128x384, 384x1536 -> 128x1536".
  std::string shape;
  Work work;          // the work of one call of the kernel
  unsigned calls = 0; // the number of calls of the kernel in one call of the model
};

/// Returns the kernels of a module at stage `kernels`, without their strategies.
std::vector<KernelInfo> findKernels(mlir::ModuleOp lowered);

/// Returns a copy of a module at stage `kernels` in whose types these values of the sizes replace the placeholders. The
/// copy serves only to count operations and bytes.
mlir::OwningOpRef<mlir::ModuleOp> countableAt(mlir::ModuleOp lowered, llvm::ArrayRef<size_t> sizes);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELS_H
