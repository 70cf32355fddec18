//===- Trials.h - a model in f32 beside what a plan makes of it -*- C++ -*-===//

#ifndef HEDDLE_PRECISION_TRIALS_H
#define HEDDLE_PRECISION_TRIALS_H

#include "heddle/LowPrecision.h"
#include "heddle/Verify.h"

namespace heddle {

/// Judges plans by the worst cosine of a row of an output, over inputs of a model at stage recognise. A failed
/// interpretation has said why.
class Trials {
public:
  explicit Trials(llvm::MutableArrayRef<CalibrationCase> cases);

  /// Interprets f32's model; before all else. An error where that, or what `plan` makes of it, takes more memory than
  /// there is.
  mlir::LogicalResult prepare(const PrecisionPlan &plan);

  /// Of all cases.
  mlir::FailureOr<double> worstCosine(const PrecisionPlan &plan) { return worstOf(plan, 0, cases.size()); }
  /// Of one, which is quick: the first that is there to be judged alone, if one is.
  mlir::FailureOr<double> quickCosine(const PrecisionPlan &plan) { return worstOf(plan, quick, quick + 1); }

private:
  /// What results, weights and an interpretation take together, at most at a time.
  uint64_t bytesFor(const PrecisionPlan &plan);
  mlir::FailureOr<double> worstOf(const PrecisionPlan &plan, size_t begin, size_t end);
  mlir::FailureOr<llvm::SmallVector<Tensor>> run(mlir::ModuleOp module, size_t number,
                                                 llvm::MutableArrayRef<WeightSource> sources);

  llvm::MutableArrayRef<CalibrationCase> cases;
  std::vector<size_t> sameWeights; // of each case, the first one that has its weights
  size_t quick = 0;
  std::vector<llvm::SmallVector<Tensor>> references; // of each case
};

} // namespace heddle

#endif // HEDDLE_PRECISION_TRIALS_H
