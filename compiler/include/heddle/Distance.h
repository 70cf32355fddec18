//===- Distance.h - how far apart two results are ---------------*- C++ -*-===//

#ifndef HEDDLE_DISTANCE_H
#define HEDDLE_DISTANCE_H

#include "interpreter/Tensor.h"

namespace heddle {

/// The cosine as text, rounded down so that the printed value never exceeds the cosine. The text has six digits after
/// the point, or as many as are needed to distinguish a cosine close to 1 from 1, but at most twelve.
std::string cosineText(double cosine);

/// How much two float tensors of the same shape differ. No bound is applied.
struct Distance {
  double error = 0;     // the largest absolute error; infinite if a NaN or infinity is compared with another value
  double magnitude = 0; // the largest finite magnitude in `other` (distanceBetween)
  /// The smallest cosine between corresponding rows (along the last dimension). The cosine of equal rows, including
  /// rows of zeros, is 1; if only one of two rows consists of zeros, it is 0. The cosine is NaN if a NaN or an infinity
  /// is compared with a different value. Elements that are NaN in both rows, or the same infinity, are left out.
  double cosine = 1;

  /// For example "largest error 0.0127 of 5.95, worst cosine of a row 0.999210".
  std::string text() const;
};

/// Returns the distance of `result` from `other`.
Distance distanceBetween(const Tensor &result, const Tensor &other);

/// Combines two distances: the larger error, the larger magnitude, and the smaller cosine (NaN if one of them is NaN).
Distance worse(const Distance &a, const Distance &b);

} // namespace heddle

#endif // HEDDLE_DISTANCE_H
