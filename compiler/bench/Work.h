//===- Work.h - operations and bytes of kernels -----------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_WORK_H
#define HEDDLE_BENCH_WORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::bench {

/// The minimum work of a computation, which does not depend on its implementation. A multiply-add is two operations.
/// Pairs of a query and a key that `causal` or `window` removes do not count. Each operand is read once, and each
/// result is written once. If an operand is a table, such as an embedding, only the elements that are looked up are
/// read.
struct Work {
  /// All floating-point operations.
  double flops = 0;
  /// The operations of matrix products and other contractions, which are compared with the rate of multiply-adds. Other
  /// operations (in a norm, a softmax or an activation) do not count for the compute roof.
  double products = 0;
  double bytesRead = 0, bytesWritten = 0;

  double bytes() const { return bytesRead + bytesWritten; }
};

/// Counts `flops` and `products` of all operations in a function of a module at stage `kernels` or earlier. For a call,
/// counts the operations of the called function.
Work countFlops(mlir::func::FuncOp function);

/// Returns the work of one call of a kernel at stage `kernels`. The last arguments of the kernel are its destinations,
/// which are not counted as read.
Work kernelWork(mlir::func::FuncOp kernel);

/// Returns the work of a whole model: the size in bytes of its inputs, weights and results, and the operations of all
/// kernels.
Work modelWork(mlir::func::FuncOp main);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_WORK_H
