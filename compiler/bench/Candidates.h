//===- Candidates.h - what a bench compares ---------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_CANDIDATES_H
#define HEDDLE_BENCH_CANDIDATES_H

#include "Kernels.h"
#include "heddle/Compile.h"
#include "heddle/Strategy.h"

namespace heddle::bench {

/// One way to compile a model.
struct Candidate {
  /// "linear-packed", "linear-packed:panel=32", or "default" for a model of many operations.
  std::string name;
  /// As in CompileOptions.
  std::vector<std::string> strategies;
  bool isDefault = false;
  /// One of the tuner's: that it does not compile is no mistake of the user's.
  bool tuned = false;
};

struct Ineligible {
  std::string strategy, reason;
};

/// All there is to compare for one model.
struct Field {
  std::vector<Candidate> candidates; // the default first
  std::vector<Ineligible> others;
  std::vector<KernelInfo> kernels;
  /// The model at stage `kernels`.
  mlir::OwningOpRef<mlir::ModuleOp> lowered;
  /// Of the one operation that the model is; empty where it has several.
  std::string rootOp;
  Work work;
  std::shared_ptr<const Target> target;

  /// Counts `work`, and shapes and work of `kernels`, for these sizes that lie in ranges.
  void countAt(llvm::ArrayRef<size_t> sizes);
};

struct FieldOptions {
  CompileOptions compile;
  /// OP=NAME|FILE[:knob=value,...], each a candidate; a knob may list several values.
  std::vector<std::string> strategies;
  /// A candidate for each strategy of each operation, and for each value of its knobs.
  bool tune = false;
  /// Only of these operations; empty for all.
  std::vector<std::string> tunedOps;
};

/// "a=x:k=1,2,j=3" as "a=x:k=1,j=3" and "a=x:k=2,j=3". Fails with the reason in `error`.
mlir::FailureOr<std::vector<std::string>> expandChoice(llvm::StringRef text, std::string &error);

/// Finds what to compare. Errors go to the context's diagnostics; `wrongUsage` tells whether it was
/// how the choices were written rather than what a strategy's file holds.
mlir::FailureOr<Field> findCandidates(mlir::ModuleOp imported, const FieldOptions &options, bool &wrongUsage);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_CANDIDATES_H
