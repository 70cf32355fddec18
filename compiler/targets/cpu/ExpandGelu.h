//===- ExpandGelu.h - GELU of layers in low precision ---------------------===//

#ifndef HEDDLE_TARGETS_CPU_EXPANDGELU_H
#define HEDDLE_TARGETS_CPU_EXPANDGELU_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// What is left of math.erf with the flag afn: a GELU by a table, where the CPU can look up numbers in one of its
/// registers (avx512dq), else the polynomial that any erf is.
void populateExpandGelu(mlir::RewritePatternSet &patterns, bool hasLookups);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_EXPANDGELU_H
