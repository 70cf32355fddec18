//===- Kernels.h - kernels of a model and their work ------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_KERNELS_H
#define HEDDLE_BENCH_KERNELS_H

#include "Work.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// A kernel of the model, at stage `kernels`.
struct KernelInfo {
  // `strategy` is the strategy that the default uses; empty if there is none.
  std::string function, op, strategy;
  /// The sizes of operands and results, such as "128x384 x 384x1536 -> 128x1536".
  std::string shape;
  Work work;
  unsigned calls = 0; // the number of calls of the kernel in one call of the model
};

/// Returns the kernels of a module at stage `kernels`, without their strategies.
std::vector<KernelInfo> findKernels(mlir::ModuleOp lowered);

/// Returns a copy of a module at stage `kernels` whose types contain these values of the sizes in ranges. The copy
/// serves only to count operations and bytes.
mlir::OwningOpRef<mlir::ModuleOp> countableAt(mlir::ModuleOp lowered, llvm::ArrayRef<size_t> sizes);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELS_H
