//===- Work.h - what a kernel has to do at least ----------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_WORK_H
#define HEDDLE_BENCH_WORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::bench {

/// Independent of how it is done: a multiply-add is two operations, entries that masks of known
/// shape remove do not count, every operand is read once and every result written once.
struct Work {
  double flops = 0;
  /// Those of them in products, which run at the rate of multiply-adds. What else there is to
  /// compute (a norm, a softmax, an activation) is not held against the compute roof.
  double products = 0;
  double bytesRead = 0, bytesWritten = 0;

  double bytes() const { return bytesRead + bytesWritten; }
};

/// Operations of all ops in a function that is no later than stage `kernels`: `flops` and
/// `products`. A call counts as what it calls.
Work countFlops(mlir::func::FuncOp function);

/// Of a kernel, whose last arguments are its destinations, at stage `kernels`.
Work kernelWork(mlir::func::FuncOp kernel);

/// Of a whole model: its inputs, weights and results, and the operations of all kernels.
Work modelWork(mlir::func::FuncOp main);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_WORK_H
