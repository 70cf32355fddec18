//===- Contest.h - candidates compiled, judged and timed --------*- C++ -*-===//

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
  /// So many bytes of other memory are read before each call; 0: caches are as calls leave them.
  size_t coldBytes = 0;
  bool profile = false;
  /// Counts what launches do, on a device that does, and times nothing.
  bool count = false;
  /// That the code is for; null: the CPU.
  DevicePtr device = nullptr;
  /// Null: the calling thread alone.
  const heddle_executor *executor = nullptr;
  /// For the roofs: as many threads as the calls, or the callers, can keep busy. Null: one.
  const heddle_executor *roofExecutor = nullptr;
  /// Told what is under way, for a terminal.
  std::function<void(const std::string &)> progress = [](const std::string &) {};
};

/// What candidates are called with.
struct Occasion {
  /// "m=16", and the values of all sizes that lie in ranges; none without ranges.
  std::string name;
  std::vector<size_t> sizes;
  /// Of these sizes; it outlives the contest.
  const Model *model = nullptr;
  std::vector<std::optional<Tensor>> inputs;
  std::vector<Tensor> inputsWithDefaults;

  mlir::func::FuncOp main() const { return model->module.get().lookupSymbol<mlir::func::FuncOp>("main"); }
};

/// Compares the ways to compile a model, which are compiled once, on each occasion: a table for each. A candidate whose
/// result is wrong is reported in its row and not timed. Failure: errors went to the context's diagnostics;
/// `wrongUsage` says whether they are of the choices' spelling.
mlir::FailureOr<std::vector<Table>> runContest(const Model &model, llvm::ArrayRef<Occasion> occasions,
                                               const ContestOptions &options, bool &wrongUsage);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_CONTEST_H
