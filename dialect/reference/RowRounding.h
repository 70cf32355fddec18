//===- RowRounding.h - row rounding in the interpreter ----------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_REFERENCE_ROWROUNDING_H
#define HEDDLE_DIALECT_REFERENCE_ROWROUNDING_H

#include "Heddle.h"

#include <cmath>
#include <vector>

namespace heddle {

/// Rounds `elements` [rows, k] to f32 and then as #heddle.row_rounding describes. With `worstCaseRounding`, an element
/// that is close to a rounding boundary is rounded to the other side: compiled code, whose elements have f32 errors,
/// may round it either way. `worstCaseRounding` is set if the interpreter computes in f32, so the difference
/// between the results in f32 and f64, from which the bound is derived, includes this effect.
std::vector<double> roundRows(std::vector<double> elements, int64_t k, RowRoundingAttr rounding,
                              bool worstCaseRounding);

/// Rounds a row to f32 and then to `type`, a narrower floating-point type. If `stored` is empty, `worstCaseRounding`
/// has the same effect as in roundRows. Otherwise `stored` is the row that compiled code stored, and
/// `worstCaseRounding` is ignored: an element that is so close to a rounding boundary that compiled code may have
/// rounded it to the corresponding element of `stored` takes this stored value.
void roundRowNarrow(llvm::MutableArrayRef<double> row, mlir::FloatType type, bool worstCaseRounding,
                    llvm::ArrayRef<double> stored);

/// Quantizes a row to `integers` by a `rounding` without a constant scale. Returns the scale; NaN if the row contains a
/// NaN or an infinity, or if its range overflows f32. `worstCaseRounding` and `stored` have the same effect as in
/// roundRowNarrow.
float roundRowToIntegers(llvm::ArrayRef<double> row, RowRoundingAttr rounding, bool worstCaseRounding,
                         llvm::ArrayRef<int64_t> stored, llvm::MutableArrayRef<int64_t> integers);

/// Replaces denormals by zeros, as CPU instructions that multiply bf16 do (pass heddle-expand-dots). References call
/// this function only if `worstCaseRounding` is set, so the bound includes its effect.
template <typename Real>
void takeDenormalsForZero(std::vector<Real> &factors) {
  for (Real &factor : factors)
    if (std::abs(factor) < Real(0x1p-126))
      factor = Real(0);
}

/// Returns the magnitude below which a sum of k products is insignificant if denormals become zeros, since each product
/// may have been replaced by zero.
template <typename Real>
Real minSum(int64_t k) {
  return Real(k) * Real(0x1p-126);
}

/// Computes the softmax of a row of scores, with the exponentials rounded to `type` before they are summed and divided,
/// as in heddle.attention with `rounding`. `worstCaseRounding` has the same effect as in roundRows.
void roundedSoftmax(llvm::MutableArrayRef<double> row, mlir::FloatType type, bool worstCaseRounding);

} // namespace heddle

#endif // HEDDLE_DIALECT_REFERENCE_ROWROUNDING_H
