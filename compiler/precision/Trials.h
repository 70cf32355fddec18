//===- Trials.h - measures the errors of precision plans --------*- C++ -*-===//

#ifndef HEDDLE_PRECISION_TRIALS_H
#define HEDDLE_PRECISION_TRIALS_H

#include "heddle/LowPrecision.h"
#include "heddle/Verify.h"

namespace heddle {

/// Measures precision plans. A plan specifies which layers compute in lower precision. The interpreter computes the
/// results of the f32 model and of the model that the plan has changed, on the inputs of each case. The measure is the
/// smallest cosine between corresponding rows of the two results. A function that fails has emitted an error.
class Trials {
public:
  explicit Trials(llvm::MutableArrayRef<CalibrationCase> cases);

  /// Interprets the f32 model of each case and stores the results. It must be called before the other functions. Fails
  /// if the f32 models, or the models that `plan` changes, need more memory than is available.
  mlir::LogicalResult prepare(const PrecisionPlan &plan);

  /// Returns the smallest cosine over all cases.
  mlir::FailureOr<double> worstCosine(const PrecisionPlan &plan) { return worstOf(plan, 0, cases.size()); }
  /// Returns the smallest cosine of one case only, which is faster than `worstCosine`. It uses the first case that has
  /// `isOnlyCompared` set, or the first case if there is none.
  mlir::FailureOr<double> quickCosine(const PrecisionPlan &plan) { return worstOf(plan, quick, quick + 1); }

private:
  /// Returns the peak memory in bytes: all results, all weights and the temporary tensors of one interpretation.
  uint64_t bytesFor(const PrecisionPlan &plan);
  /// Returns the smallest cosine over the cases with indices from `begin` to `end` - 1.
  mlir::FailureOr<double> worstOf(const PrecisionPlan &plan, size_t begin, size_t end);
  /// Interprets `module` on the inputs of case `number`. `sources` has one entry for each case. Cases with equal
  /// weights share the entry of the first of them, which is filled on first use, so weights are read only once.
  mlir::FailureOr<llvm::SmallVector<Tensor>> run(mlir::ModuleOp module, size_t number,
                                                 llvm::MutableArrayRef<WeightSource> sources);

  llvm::MutableArrayRef<CalibrationCase> cases;
  std::vector<size_t> sameWeights;                   // for each case, the index of the first case with equal weights
  size_t quick = 0;                                  // the index of the case that quickCosine uses
  std::vector<llvm::SmallVector<Tensor>> references; // for each case, the results of the f32 model
};

} // namespace heddle

#endif // HEDDLE_PRECISION_TRIALS_H
