//===- StoredWeight.h - weights for narrow dot products ---------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ROUNDED_STOREDWEIGHT_H
#define HEDDLE_LOWERING_ROUNDED_STOREDWEIGHT_H

#include "panels/RoundedOperands.h"

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Returns why a layer cannot be computed by dot products of narrow types (the type of rounded rows and the type of the
/// stored weight), or "" if it can.
std::string whyNoDots(LinearOp linear);

/// Returns the number of rows of the weight that share a scale in each column, for a layer for which whyNoDots()
/// returns ""; 0 if all rows do.
int64_t groupOf(LinearOp linear);

/// Packs the weight of a layer for which whyNoDots() returns "": adds a step to the recipes of the weights that callers
/// pass (the steps that compute a weight when a library is written). The weight gets panels of `panel` columns,
/// in groups of `interleaved` interleaved panels. The elements of a column that one dot product of `kind` multiplies
/// are adjacent. Returns the members of RoundedOperands that belong to the weight.
RoundedOperands packStoredWeight(mlir::RewriterBase &b, LinearOp linear, int64_t panel, int64_t interleaved,
                                 ProductKind kind);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROUNDED_STOREDWEIGHT_H
