//===- Trials.h - compares a plan with f32 ----------------------*- C++ -*-===//

#ifndef HEDDLE_PRECISION_TRIALS_H
#define HEDDLE_PRECISION_TRIALS_H

#include "heddle/LowPrecision.h"
#include "heddle/Verify.h"

namespace heddle {

/// Measures plans: compares a model in f32 at stage recognise with the same model changed by a plan, on given inputs,
/// and finds the worst cosine of a row of an output. If a function fails, the interpreter has emitted an error.
class Trials {
public:
  explicit Trials(llvm::MutableArrayRef<CalibrationCase> cases);

  /// Interprets the f32 models. Must be called before the other functions. Emits an error if this interpretation, or
  /// that of the models that `plan` yields, needs more memory than is available.
  mlir::LogicalResult prepare(const PrecisionPlan &plan);

  /// Returns the worst cosine over all cases.
  mlir::FailureOr<double> worstCosine(const PrecisionPlan &plan) { return worstOf(plan, 0, cases.size()); }
  /// Returns the worst cosine of only one case, which is faster: the first case with `isOnlyCompared`, or else the
  /// first case.
  mlir::FailureOr<double> quickCosine(const PrecisionPlan &plan) { return worstOf(plan, quick, quick + 1); }

private:
  /// Returns the peak memory in bytes: results, weights and one interpretation together.
  uint64_t bytesFor(const PrecisionPlan &plan);
  mlir::FailureOr<double> worstOf(const PrecisionPlan &plan, size_t begin, size_t end);
  mlir::FailureOr<llvm::SmallVector<Tensor>> run(mlir::ModuleOp module, size_t number,
                                                 llvm::MutableArrayRef<WeightSource> sources);

  llvm::MutableArrayRef<CalibrationCase> cases;
  std::vector<size_t> sameWeights; // for each case, the first case that has the same weights
  size_t quick = 0;
  std::vector<llvm::SmallVector<Tensor>> references; // the f32 results of each case
};

} // namespace heddle

#endif // HEDDLE_PRECISION_TRIALS_H
