//===- ExpandGelu.h - GELU of low-precision layers ------------------------===//

#ifndef HEDDLE_TARGETS_CPU_EXPANDGELU_H
#define HEDDLE_TARGETS_CPU_EXPANDGELU_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The maximum error of GELU by a table, relative to |x|, with all rounding.
inline constexpr double geluByTableError = 1.6e-7;

/// Adds a pattern for math.erf with the flag afn: it becomes a GELU by a table if the CPU can look up numbers in one of
/// its registers (avx512dq), and otherwise the polynomial that other erf use.
void populateExpandGelu(mlir::RewritePatternSet &patterns, bool hasLookups);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_EXPANDGELU_H
