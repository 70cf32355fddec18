//===- ExpandGelu.h - GELU of low-precision layers ------------------------===//

#ifndef HEDDLE_TARGETS_CPU_EXPANDGELU_H
#define HEDDLE_TARGETS_CPU_EXPANDGELU_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The maximum error, relative to |x| and including rounding, of a GELU that is computed by a table.
inline constexpr double geluByTableError = 1.6e-7;

/// Adds a pattern for math.erf with the flag afn. If `hasLookups` (feature avx512dq), the CPU can look up numbers in a
/// register, and the pattern computes GELU by a table. Otherwise the pattern uses the polynomial of emitErf.
void populateExpandGelu(mlir::RewritePatternSet &patterns, bool hasLookups);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_EXPANDGELU_H
