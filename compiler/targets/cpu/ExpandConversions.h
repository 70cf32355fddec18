//===- ExpandConversions.h - f32 as bf16 that products read ---------------===//

#ifndef HEDDLE_TARGETS_CPU_EXPANDCONVERSIONS_H
#define HEDDLE_TARGETS_CPU_EXPANDCONVERSIONS_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Makes of what is for products of bf16 (ForDots.h) the CPU's instruction (avx512bf16), or the arithmetic that any other rounding to bf16 is.
void populateExpandForDots(mlir::RewritePatternSet &patterns, bool hasInstruction);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_EXPANDCONVERSIONS_H
