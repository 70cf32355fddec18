//===- Trials.h - compares a plan with f32 ----------------------*- C++ -*-===//

#ifndef HEDDLE_PRECISION_TRIALS_H
#define HEDDLE_PRECISION_TRIALS_H

#include "heddle/LowPrecision.h"
#include "heddle/Verify.h"

namespace heddle {

/// Measures plans by the worst cosine of a row of an output between a model at stage recognise in f32 and the same
/// model changed by the plan, over given inputs. Functions that fail have emitted the interpreter's error.
class Trials {
public:
  explicit Trials(llvm::MutableArrayRef<CalibrationCase> cases);

  /// Interprets the f32 models; call it first. Emits an error if this, or interpreting the models that `plan` yields,
  /// takes more memory than there is.
  mlir::LogicalResult prepare(const PrecisionPlan &plan);

  /// Returns the worst cosine over all cases.
  mlir::FailureOr<double> worstCosine(const PrecisionPlan &plan) { return worstOf(plan, 0, cases.size()); }
  /// Returns the worst cosine of one case, which is quick: the first case that is only for measurements, if there is
  /// one.
  mlir::FailureOr<double> quickCosine(const PrecisionPlan &plan) { return worstOf(plan, quick, quick + 1); }

private:
  /// Returns the peak memory, in bytes, of results, weights and one interpretation together.
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
