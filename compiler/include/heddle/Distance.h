//===- Distance.h - how far two results are apart ---------------*- C++ -*-===//

#ifndef HEDDLE_DISTANCE_H
#define HEDDLE_DISTANCE_H

#include "interpreter/Tensor.h"

namespace heddle {

/// The cosine as text, rounded down so that the printed value never exceeds the cosine. The text has six digits, or as
/// many as are needed to distinguish a cosine close to 1 from 1.
std::string cosineText(double cosine);

/// How much two float tensors of the same shape differ. No bound is applied.
struct Distance {
  double error = 0;     // the largest absolute error; infinite if a NaN or an infinity is in one tensor only
  double magnitude = 0; // the largest finite magnitude in `other` (distanceBetween)
  /// The smallest cosine between corresponding rows (along the last dimension): 1 if both rows are zeros; NaN if a NaN
  /// or an infinity is in one of them only. Elements that are NaN in both rows, or the same infinity, are left out.
  double cosine = 1;

  /// For example "largest error 0.0127 of 5.95, worst cosine of a row 0.99921".
  std::string text() const;
};

/// Returns the distance of `result` from `other`.
Distance distanceBetween(const Tensor &result, const Tensor &other);

/// Combines two distances: the larger error and the smaller cosine.
Distance worse(const Distance &a, const Distance &b);

} // namespace heddle

#endif // HEDDLE_DISTANCE_H
