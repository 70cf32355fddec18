//===- KernelTimers.h - timers around kernels -------------------*- C++ -*-===//
//
// The instrumented code contains the address of its KernelTimers object, so that it can run only in this process. Other
// builds contain no timers.
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
  KernelTimers(const KernelTimers &) = delete; // compiled code has its address

  /// For CompileOptions::changeModule: at stage llvm, inserts code that notes the time before and after each call of a
  /// kernel. A module of the same model with other placeholders for its sizes gets the same code.
  mlir::LogicalResult insert(Stage stage, mlir::ModuleOp module);

  /// Adds the times that the last call of the model noted.
  void finishCall();

  /// The times of each kernel call.
  CallTimes times;

private:
  static void note(KernelTimers *timers, int64_t slot);

  std::vector<double> stamps; // two time stamps for each kernel call
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELTIMERS_H
