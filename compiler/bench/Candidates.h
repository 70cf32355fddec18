//===- Candidates.h - candidates of a benchmark -----------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_CANDIDATES_H
#define HEDDLE_BENCH_CANDIDATES_H

#include "Kernels.h"
#include "heddle/Compile.h"
#include "heddle/Strategy.h"

namespace heddle::bench {

/// One way to compile a model.
struct Candidate {
  /// The strategy and its knobs, such as "linear-packed:panel=32". In a model of several operations, the operation is
  /// part of the name ("linear=linear-packed"), and the default is called "default".
  std::string name;
  /// The strategies, as in CompileOptions; empty for the default strategies of all operations.
  std::vector<std::string> strategies;
  bool isDefault = false;
  /// Whether the option --tune added the candidate. If it did, it is not an error if the candidate does not compile.
  bool tuned = false;
};

/// A strategy that is not timed, and the reason.
struct Ineligible {
  std::string strategy, reason;
};

/// The candidates and kernels of one model, and the strategies that are not candidates.
struct Field {
  std::vector<Candidate> candidates; // the default is the first
  std::vector<Ineligible> others;    // the strategies that are not timed
  std::vector<KernelInfo> kernels;
  /// The model at stage `kernels`.
  mlir::OwningOpRef<mlir::ModuleOp> lowered;
  /// The operation of a model that consists of a single operation; empty for other models.
  std::string rootOp;
  Work work; // the operations and bytes of the whole model
  std::shared_ptr<const Target> target;

  /// Computes `work` and the shapes and the work of `kernels` for these values of the sizes in ranges.
  void countAt(llvm::ArrayRef<size_t> sizes);
};

/// The options of `heddle bench` that determine the candidates.
struct FieldOptions {
  CompileOptions compile;
  /// Choices OP=NAME|FILE[:knob=value,...]. Each choice becomes a candidate, or several if a knob has a list of values.
  std::vector<std::string> strategies;
  /// Whether to add candidates for each eligible strategy of each operation: one with the default knobs and, for every
  /// knob and every other value of it, one with this value. If the model is a single operation, the candidates with the
  /// default knobs are added even if `tune` is false.
  bool tune = false;
  /// The operations to tune; empty for all.
  std::vector<std::string> tunedOps;
};

/// Expands lists of values: "a=x:k=1,2,j=3" becomes "a=x:k=1,j=3" and "a=x:k=2,j=3". On failure, `error` is the reason.
mlir::FailureOr<std::vector<std::string>> expandChoice(llvm::StringRef text, std::string &error);

/// Finds the candidates. Passes errors to the context's diagnostics. Sets `wrongUsage` if an error is in a choice or in
/// the operations to tune, and not in the file of a strategy.
mlir::FailureOr<Field> findCandidates(mlir::ModuleOp imported, const FieldOptions &options, bool &wrongUsage);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_CANDIDATES_H
