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

class KernelTimers {
public:
  KernelTimers() = default;
  KernelTimers(const KernelTimers &) = delete; // compiled code contains its address

  /// A function for CompileOptions::changeModule. At stage llvm, inserts code that records the time before and after
  /// each call of a kernel. The code is the same for a module of the same model with other placeholders.
  mlir::LogicalResult insert(Stage stage, mlir::ModuleOp module);

  /// Adds the times that the last call of the model recorded.
  void finishCall();

  /// The times of each kernel call.
  CallTimes times;

private:
  static void note(KernelTimers *timers, int64_t slot);

  std::vector<double> stamps; // two time stamps for each kernel call
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELTIMERS_H
