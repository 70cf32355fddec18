//===- Distance.h - how far a result is from another ------------*- C++ -*-===//

#ifndef HEDDLE_DISTANCE_H
#define HEDDLE_DISTANCE_H

#include "interpreter/Tensor.h"

namespace heddle {

/// Rounded down, so that no digit says more than is so, to six digits or, next to 1, as many as tell it from 1.
std::string cosineText(double cosine);

/// What lies between two tensors of floats of one shape: no verdict, only how alike they are.
struct Distance {
  double error = 0;     // the largest; infinite where a NaN or an infinity is not in both
  double magnitude = 0; // the largest finite |other|
  /// The least of a row, which is along the last dimension: 1 where both are zeros; NaN where a NaN or an infinity is
  /// not in both. Elements that are not finite in both alike are left out.
  double cosine = 1;

  /// "largest error 0.0127 of 5.95, worst cosine of a row 0.99921".
  std::string text() const;
};

Distance distanceBetween(const Tensor &result, const Tensor &other);

/// The larger error, and the worse cosine.
Distance worse(const Distance &a, const Distance &b);

} // namespace heddle

#endif // HEDDLE_DISTANCE_H
