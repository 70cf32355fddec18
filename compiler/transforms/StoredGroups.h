//===- StoredGroups.h - groups of a weight that share a scale ---*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_STOREDGROUPS_H
#define HEDDLE_TRANSFORMS_STOREDGROUPS_H

#include "Heddle.h"

namespace heddle {

/// Returns why sums of `k` products of integers do not fit into i32, or "" if they do. One factor is a byte or the
/// difference between a byte and its zero point, the other is a signed byte.
std::string whyNoSums(int64_t k);

/// Returns why rows of the rounding `rounding` cannot be multiplied in integers with `weight`, a matrix of i8 that has
/// minima or several groups for a block of the rows; "" if they can, or if the weight has no such groups.
std::string whyNoGroups(DequantizeOp weight, RowRoundingAttr rounding);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_STOREDGROUPS_H
