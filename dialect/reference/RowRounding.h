//===- RowRounding.h - rounding of a layer's input rows ---------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_REFERENCE_ROWROUNDING_H
#define HEDDLE_DIALECT_REFERENCE_ROWROUNDING_H

#include "Heddle.h"

#include <cmath>
#include <vector>

namespace heddle {

/// Rounds the elements [rows, k], which are first rounded to f32, as #heddle.row_rounding describes. With `hesitates`,
/// an element close to a rounding boundary is rounded to the other side, as may happen in code with f32 errors.
std::vector<double> roundRows(std::vector<double> elements, int64_t k, RowRoundingAttr rounding, bool hesitates);

/// Rounds a row, which is first rounded to f32, to `type`, a narrower floating-point type. For an element close to a
/// rounding boundary, the value in `stored`, which compiled code stored, is taken if `stored` is not empty.
void roundRowNarrow(llvm::MutableArrayRef<double> row, mlir::FloatType type, bool hesitates,
                    llvm::ArrayRef<double> stored);

/// Quantizes a row to integers by a `rounding` without a constant scale; returns the scale. The scale is NaN if the row
/// is not finite.
float roundRowToIntegers(llvm::ArrayRef<double> row, RowRoundingAttr rounding, bool hesitates,
                         llvm::ArrayRef<int64_t> stored, llvm::MutableArrayRef<int64_t> integers);

/// Flushes denormals to zero, as instructions that multiply bf16 do (heddle-expand-dots), so that this effect is part
/// of the bound as well.
template <typename Real>
void takeDenormalsForZero(std::vector<Real> &factors) {
  for (Real &factor : factors)
    if (std::abs(factor) < Real(0x1p-126))
      factor = Real(0);
}

/// The smallest sum of k products that is still significant then: each product may have been flushed to zero.
template <typename Real>
Real minSum(int64_t k) {
  return Real(k) * Real(0x1p-126);
}

/// Computes the softmax of a row of scores, with the exponentials rounded to `type` before they are summed and divided,
/// as in heddle.attention with `rounding`. `hesitates` has the same effect as in roundRowNarrow.
void roundedSoftmax(llvm::MutableArrayRef<double> row, mlir::FloatType type, bool hesitates);

} // namespace heddle

#endif // HEDDLE_DIALECT_REFERENCE_ROWROUNDING_H
