//===- KernelTimers.h - timers around kernels -------------------*- C++ -*-===//
//
// The instrumented code contains the address of its KernelTimers object, so it
// can run only in this process. Code that is not compiled for a profile
// contains no timers.
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

/// Measures the time of each call of a kernel in compiled code for the CPU.
class KernelTimers {
public:
  KernelTimers() = default;
  KernelTimers(const KernelTimers &) = delete; // compiled code contains its address

  /// A function for CompileOptions::changeModule. At stage llvm, inserts code that records the time before and after
  /// each call of a kernel. A model with sizes in ranges is compiled with several sets of placeholders, and the modules
  /// may differ only in numbers that depend on sizes. Therefore, the inserted code is the same for all of them.
  mlir::LogicalResult insert(Stage stage, mlir::ModuleOp module);

  /// Adds the times that the last call of the model recorded.
  void finishCall();

  /// The times of each kernel call.
  CallTimes times;

private:
  /// Stores the current time in `stamps[slot]`. Compiled code calls this function.
  static void recordTime(KernelTimers *timers, int64_t slot);

  std::vector<double> stamps; // for each kernel call, the time in seconds before and after the call
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELTIMERS_H
