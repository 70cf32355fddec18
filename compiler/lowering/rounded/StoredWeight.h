//===- StoredWeight.h - a weight whose products are dots --------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ROUNDED_STOREDWEIGHT_H
#define HEDDLE_LOWERING_ROUNDED_STOREDWEIGHT_H

#include "panels/RoundedOperands.h"

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Why the products of a layer are no dots of what its rows are rounded to and its weight is stored in; "" where they
/// are.
std::string whyNoDots(LinearOp linear);

/// Brings the weight of a layer, whose products are dots, into panels of `panel` columns, `abreast` of them beside each
/// other and `depth` of its rows in a lane, by the recipes that its callers pass; what RoundedOperands has of the weight.
RoundedOperands packStoredWeight(mlir::RewriterBase &b, LinearOp linear, int64_t panel, int64_t abreast,
                                 int64_t depth, UnsignedSide unsignedSide);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROUNDED_STOREDWEIGHT_H
