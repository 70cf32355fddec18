//===- ExpandConversions.h - f32 as bf16 that products read ---------------===//

#ifndef HEDDLE_TARGETS_CPU_EXPANDCONVERSIONS_H
#define HEDDLE_TARGETS_CPU_EXPANDCONVERSIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Whether it makes bf16 of f32 with the flag afn: only products of bf16 read the result, and it may be zero where it
/// would be a denormal.
bool isForDots(mlir::arith::TruncFOp op);

/// Makes of these the CPU's instruction (avx512bf16), or the arithmetic that any other rounding to bf16 is.
void populateExpandForDots(mlir::RewritePatternSet &patterns, bool hasInstruction);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_EXPANDCONVERSIONS_H
