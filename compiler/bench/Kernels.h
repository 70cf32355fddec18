//===- Kernels.h - what a model's kernels have to do ------------*- C++ -*-===//

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
  std::string function, op, strategy; // strategy: what the default takes, empty for none
  /// Sizes of operands and results: "128x384 x 384x1536 -> 128x1536".
  std::string shape;
  Work work;
  unsigned calls = 0;
};

/// The kernels of a module at stage `kernels`, without their strategies.
std::vector<KernelInfo> findKernels(mlir::ModuleOp lowered);

/// A module at stage `kernels` to count in: its sizes that lie in ranges have these values in the types of it. It is
/// for nothing else.
mlir::OwningOpRef<mlir::ModuleOp> countableAt(mlir::ModuleOp lowered, llvm::ArrayRef<size_t> sizes);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELS_H
