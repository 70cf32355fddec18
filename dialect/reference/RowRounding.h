//===- RowRounding.h - the rows of a layer's input, rounded -----*- C++ -*-===//

#ifndef HEDDLE_DIALECT_REFERENCE_ROWROUNDING_H
#define HEDDLE_DIALECT_REFERENCE_ROWROUNDING_H

#include "Heddle.h"

#include <cmath>
#include <vector>

namespace heddle {

/// The elements [rows, k] as #heddle.row_rounding says, which takes each for the nearest of f32. Where `hesitates`, an
/// element close to a boundary goes to its other side: what a computation with errors of f32 may make of it.
std::vector<double> roundRows(std::vector<double> elements, int64_t k, RowRoundingAttr rounding, bool hesitates);

/// A row as `type`, of fewer digits than f32, which each element is taken for. What is `stored` of it elsewhere, if that
/// is not empty, decides where an element is close to a boundary.
void roundRowNarrow(llvm::MutableArrayRef<double> row, mlir::FloatType type, bool hesitates,
                    llvm::ArrayRef<double> stored);

/// A row as integers, as a `rounding` to them says that has steps of its own; returns the step. A row that is not finite
/// has the step NaN.
float roundRowToIntegers(llvm::ArrayRef<double> row, RowRoundingAttr rounding, bool hesitates,
                         llvm::ArrayRef<int64_t> stored, llvm::MutableArrayRef<int64_t> integers);

/// As instructions that multiply bf16 do (heddle-expand-dots), which is to show in the bound as well.
template <typename Real>
void takeDenormalsForZero(std::vector<Real> &factors) {
  for (Real &factor : factors)
    if (std::abs(factor) < Real(0x1p-126))
      factor = Real(0);
}

/// How large a sum of k products must be then: each may have been taken for zero.
template <typename Real>
Real leastSum(int64_t k) {
  return Real(k) * Real(0x1p-126);
}

/// The softmax of a row of scores whose weights are rounded to `type` before they are summed and divided, as
/// heddle.attention says. Where it hesitates, as roundRowNarrow.
void roundedSoftmax(llvm::MutableArrayRef<double> row, mlir::FloatType type, bool hesitates);

} // namespace heddle

#endif // HEDDLE_DIALECT_REFERENCE_ROWROUNDING_H
