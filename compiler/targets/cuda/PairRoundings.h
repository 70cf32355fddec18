//===- PairRoundings.h - two roundings in one instruction -------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CUDA_PAIRROUNDINGS_H
#define HEDDLE_TARGETS_CUDA_PAIRROUNDINGS_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Adds patterns that replace roundings from f32 to bf16 or f16 of neighbours in a vector by
/// nvvm.convert.f32x2.to.bf16x2 or nvvm.convert.f32x2.to.f16x2. LLVM would round the elements of the vector one by one,
/// in a unit of the processor that has a quarter of the rate.
void populatePairRoundings(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_TARGETS_CUDA_PAIRROUNDINGS_H
