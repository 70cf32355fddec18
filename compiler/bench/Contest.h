//===- Contest.h - compares candidates --------------------------*- C++ -*-===//
//
// A candidate is the model compiled with a choice of strategies. `heddle bench`
// verifies the results of each candidate and times all candidates in turn.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCH_CONTEST_H
#define HEDDLE_BENCH_CONTEST_H

#include "Buffers.h"
#include "Report.h"
#include "heddle/Import.h"

namespace heddle::bench {

struct ContestOptions {
  FieldOptions field;
  Timing timing;
  size_t callers = 1; // the number of threads that call the model concurrently
  /// The number of bytes of other memory that are read before each call, so that caches are cold. If the number is 0,
  /// caches stay warm.
  size_t coldBytes = 0;
  bool profile = false; // whether to time the kernels of the default candidate
  /// Whether to count the instructions and memory accesses of launches instead of timing calls. Only a device that
  /// counts them supports this option (LaunchTimers.h).
  bool count = false;
  /// The device for which the code is compiled; null for the CPU.
  DevicePtr device = nullptr;
  /// The executor of the calls. If it is null, calls run only on the calling thread.
  const heddle_executor *executor = nullptr;
  /// The executor that measures the roofs (the limits of this machine), with as many threads as the calls or callers
  /// can keep busy. If `roofExecutor` is null, one thread measures the roofs.
  const heddle_executor *roofExecutor = nullptr;
  /// A function that receives a description of the current step, for a terminal.
  std::function<void(const std::string &)> progress = [](const std::string &) {};
};

/// The sizes and inputs with which candidates are called.
struct Occasion {
  /// The values of all sizes that lie in ranges, such as "m=16"; empty if there are none.
  std::string name;
  /// The same values, in the order of the model's sizes.
  std::vector<size_t> sizes;
  /// The model for these sizes, which the reference interprets. It must outlive the contest.
  const Model *model = nullptr;
  std::vector<std::optional<Tensor>> inputs; // nullopt for an absent optional input
  std::vector<Tensor> inputsWithDefaults; // `inputs`, where absent inputs have their default values

  mlir::func::FuncOp main() const { return model->main(); }
};

/// Compiles the candidates of a model once and compares them on each occasion. Returns a table for each occasion. A
/// candidate with a wrong result is not timed; its row contains the problem. On failure, passes errors to the context's
/// diagnostics, and sets `wrongUsage` if an argument of --strategy or --tune is wrong.
mlir::FailureOr<std::vector<Table>> runContest(const Model &model, llvm::ArrayRef<Occasion> occasions,
                                               const ContestOptions &options, bool &wrongUsage);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_CONTEST_H
