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
  /// Null: the calling thread alone.
  const heddle_executor *executor = nullptr;
  /// For the roofs: as many threads as the calls, or the callers, can keep busy. Null: one.
  const heddle_executor *roofExecutor = nullptr;
  /// Told what is under way, for a terminal.
  std::function<void(const std::string &)> progress = [](const std::string &) {};
};

/// Compares the ways to compile a model on these inputs. A candidate whose result is wrong is
/// reported in its row and not timed. Failure: errors went to the context's diagnostics;
/// `wrongUsage` says whether they are of the choices' spelling.
mlir::FailureOr<Table> runContest(const Model &model, llvm::ArrayRef<std::optional<Tensor>> inputs,
                                  llvm::ArrayRef<Tensor> inputsWithDefaults, const ContestOptions &options,
                                  bool &wrongUsage);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_CONTEST_H
