//===- ExpandGelu.h - GELU of layers in low precision ---------------------===//

#ifndef HEDDLE_TARGETS_CPU_EXPANDGELU_H
#define HEDDLE_TARGETS_CPU_EXPANDGELU_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// How far a GELU by a table is from the truth at most, as a part of |x|, with all that is rounded.
inline constexpr double geluByTableError = 1.6e-7;

/// What is left of math.erf with the flag afn: a GELU by a table, where the CPU can look up numbers in one of its
/// registers (avx512dq), else the polynomial that any erf is.
void populateExpandGelu(mlir::RewritePatternSet &patterns, bool hasLookups);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_EXPANDGELU_H
