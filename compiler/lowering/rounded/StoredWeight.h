//===- StoredWeight.h - weights for narrow dot products ---------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ROUNDED_STOREDWEIGHT_H
#define HEDDLE_LOWERING_ROUNDED_STOREDWEIGHT_H

#include "panels/RoundedOperands.h"

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Returns why the products of a layer are not dot products of the type that rows are rounded to and the type that the
/// weight is stored in, or "" if they are.
std::string whyNoDots(LinearOp linear);

/// Packs the weight of a layer for which whyNoDots() returns "", by extending the recipes that its callers pass: into
/// panels of `panel` columns, `interleaved` of them interleaved, with `depth` of its rows side by side in a lane.
/// Returns the members of RoundedOperands that belong to the weight.
RoundedOperands packStoredWeight(mlir::RewriterBase &b, LinearOp linear, int64_t panel, int64_t interleaved,
                                 int64_t depth, UnsignedSide unsignedSide);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROUNDED_STOREDWEIGHT_H
