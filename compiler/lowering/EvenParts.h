//===- EvenParts.h - steps of a loop divided among tasks --------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_EVENPARTS_H
#define HEDDLE_LOWERING_EVENPARTS_H

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace heddle {

/// A loop whose steps are divided into parts, each of which a task (on a GPU, a workgroup) executes. All parts but the
/// last one have the same number of steps.
struct EvenParts {
  int64_t steps, count; // the number of steps of a part, and the number of parts

  /// Divides `all` steps into as few parts as possible, but at least `wanted`, unless parts would then have fewer than
  /// `fewest` steps. All numbers are positive.
  static EvenParts of(int64_t all, int64_t wanted, int64_t fewest) {
    // The largest number of steps of a part with which there are at least `wanted` parts.
    int64_t most = wanted > 1 ? std::max<int64_t>((all - 1) / (wanted - 1), 1) : all;
    int64_t count = std::min(llvm::divideCeilSigned(all, most), std::max<int64_t>(all / fewest, 1));
    int64_t steps = llvm::divideCeilSigned(all, count);
    return {steps, llvm::divideCeilSigned(all, steps)};
  }
  /// Divides `all` steps into at most `most` parts that are as small as possible. Both numbers are positive.
  static EvenParts atMost(int64_t all, int64_t most) {
    int64_t steps = llvm::divideCeilSigned(all, most);
    return {steps, llvm::divideCeilSigned(all, steps)};
  }
};

} // namespace heddle

#endif // HEDDLE_LOWERING_EVENPARTS_H
