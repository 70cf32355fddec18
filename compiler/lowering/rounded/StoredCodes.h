//===- StoredCodes.h - the integers that a stored weight contains -*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ROUNDED_STOREDCODES_H
#define HEDDLE_LOWERING_ROUNDED_STOREDCODES_H

#include "Heddle.h"

namespace heddle {

/// Returns the numbers that the elements of `weight` can be, in the order of the bits with which a model's file stores
/// them, if the file stores them in fewer than 8 bits. `weight` is an argument of a kernel, and all its callers must
/// pass weights with the same numbers. Otherwise returns none.
llvm::SmallVector<int64_t> findCodes(mlir::Value weight);

/// Returns whether f16 represents each scale or offset exactly. `parameters`, an argument of a kernel, consists of
/// scales or offsets of weights in a format.
bool areExactInF16(mlir::Value parameters);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROUNDED_STOREDCODES_H
