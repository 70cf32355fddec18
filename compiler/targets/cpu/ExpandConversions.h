//===- ExpandConversions.h - f32 to bf16 for products ---------------------===//

#ifndef HEDDLE_TARGETS_CPU_EXPANDCONVERSIONS_H
#define HEDDLE_TARGETS_CPU_EXPANDCONVERSIONS_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Adds a pattern that lowers conversions of f32 to bf16 for operands of products (ForProducts.h). If `hasInstruction`
/// (feature avx512bf16), the pattern uses the CPU's instruction for vectors of one dimension. In all other cases, it
/// emits integer arithmetic.
void populateExpandForDots(mlir::RewritePatternSet &patterns, bool hasInstruction);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_EXPANDCONVERSIONS_H
