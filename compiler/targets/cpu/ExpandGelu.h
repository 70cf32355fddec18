//===- ExpandGelu.h - GELU of low-precision layers ------------------------===//

#ifndef HEDDLE_TARGETS_CPU_EXPANDGELU_H
#define HEDDLE_TARGETS_CPU_EXPANDGELU_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The maximum error, relative to |x| and including rounding, of a GELU that is computed with the table of coefficients
/// in ExpandGelu.cpp.
inline constexpr double geluByTableError = 1.6e-7;

/// Adds a pattern that lowers math.erf of f32. The fast-math flag afn (approximate functions) marks each erf of a layer
/// of low precision, and the pass heddle-expand-math has already lowered every erf without this flag. `hasLookups`
/// means that the CPU can look up numbers in a register (feature avx512dq). In this case, if the erf is part of a GELU
/// of a vector of up to 16 numbers, the pattern replaces the whole GELU by code that uses a table. Otherwise the
/// pattern replaces the erf by the polynomial of emitErf (Erf.h).
void populateExpandGelu(mlir::RewritePatternSet &patterns, bool hasLookups);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_EXPANDGELU_H
