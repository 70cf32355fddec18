//===- KernelTimers.h - timers around a model's kernels ---------*- C++ -*-===//
//
// Code that is compiled for one run in this process: the address of what takes
// the time is part of it. Other builds have no trace of it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCH_KERNELTIMERS_H
#define HEDDLE_BENCH_KERNELTIMERS_H

#include "CallTimes.h"
#include "heddle/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace heddle::bench {

class KernelTimers {
public:
  KernelTimers() = default;
  KernelTimers(const KernelTimers &) = delete; // compiled code knows where it is

  /// For CompileOptions::changeModule: at stage llvm, notes the time before and after each call of
  /// a kernel. A module of the same model with other primes for its sizes gets the same.
  mlir::LogicalResult insert(Stage stage, mlir::ModuleOp module);

  /// Takes what the last call of the model noted into account.
  void finishCall();

  /// Of each call of a kernel.
  CallTimes times;

private:
  static void note(KernelTimers *timers, int64_t slot);

  std::vector<double> stamps; // two for each call of a kernel
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELTIMERS_H
