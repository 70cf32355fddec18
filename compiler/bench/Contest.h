//===- Contest.h - comparison of candidates ---------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_CONTEST_H
#define HEDDLE_BENCH_CONTEST_H

#include "Buffers.h"
#include "Report.h"
#include "heddle/Import.h"

namespace heddle::bench {

struct ContestOptions {
  FieldOptions field;
  Timing timing;
  size_t callers = 1;
  /// The number of bytes of other memory that are read before each call; 0 leaves the caches as they are.
  size_t coldBytes = 0;
  bool profile = false;
  /// Whether to count operations of launches, on a device that counts them, instead of timing.
  bool count = false;
  /// The device that the code is for; null for the CPU.
  DevicePtr device = nullptr;
  /// If null, calls run on the calling thread alone.
  const heddle_executor *executor = nullptr;
  /// The executor that measures the roofs, with as many threads as the calls or callers can keep busy. If null, one
  /// thread.
  const heddle_executor *roofExecutor = nullptr;
  /// Called with a description of the current step, for a terminal.
  std::function<void(const std::string &)> progress = [](const std::string &) {};
};

/// The sizes and inputs that candidates are called with.
struct Occasion {
  /// "m=16": the values of all sizes that lie in ranges; empty if there are none.
  std::string name;
  std::vector<size_t> sizes;
  /// The model for these sizes; it outlives the contest.
  const Model *model = nullptr;
  std::vector<std::optional<Tensor>> inputs;
  std::vector<Tensor> inputsWithDefaults;

  mlir::func::FuncOp main() const { return model->main(); }
};

/// Compiles the candidates of a model once and compares them on each occasion. Returns a table for each occasion. A
/// candidate with a wrong result is reported in its row and not timed. On failure, errors went to the context's
/// diagnostics; `wrongUsage` is set if an error is in the spelling of a choice.
mlir::FailureOr<std::vector<Table>> runContest(const Model &model, llvm::ArrayRef<Occasion> occasions,
                                               const ContestOptions &options, bool &wrongUsage);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_CONTEST_H
