//===- ExpandConversions.h - f32 to bf16 for products ---------------------===//

#ifndef HEDDLE_TARGETS_CPU_EXPANDCONVERSIONS_H
#define HEDDLE_TARGETS_CPU_EXPANDCONVERSIONS_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Adds a pattern that converts f32 to bf16 for operands of products (ForProducts.h). It uses the CPU's instruction if
/// `hasInstruction` (feature avx512bf16), and otherwise the integer arithmetic of all conversions to bf16.
void populateExpandForDots(mlir::RewritePatternSet &patterns, bool hasInstruction);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_EXPANDCONVERSIONS_H
