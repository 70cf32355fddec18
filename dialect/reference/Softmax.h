//===- Softmax.h - softmax of one row ---------------------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_REFERENCE_SOFTMAX_H
#define HEDDLE_DIALECT_REFERENCE_SOFTMAX_H

#include "llvm/ADT/ArrayRef.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace heddle {

/// Replaces row[j] by exp(row[j] - max) / sum of exp(row[i] - max), summed from left to right. The whole row becomes
/// NaN if it contains a NaN or +inf (inf - inf is NaN), or if all its elements are -inf. In f32 an exponential below
/// the smallest normal number becomes 0, as in compiled code. (A product of this 0 with an infinity is NaN, whereas
/// the product of the exponential in f64 with an infinity is an infinity.)
template <typename Real>
void softmax(llvm::MutableArrayRef<Real> row) {
  Real maximum = -std::numeric_limits<Real>::infinity(), sum = 0;
  for (Real score : row)
    maximum = std::fmax(maximum, score);
  for (Real &score : row) {
    score = std::exp(score - maximum);
    if (std::is_same_v<Real, float> && score < std::numeric_limits<Real>::min())
      score = 0;
    sum += score;
  }
  for (Real &weight : row)
    weight /= sum;
}

} // namespace heddle

#endif // HEDDLE_DIALECT_REFERENCE_SOFTMAX_H
