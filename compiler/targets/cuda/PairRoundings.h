//===- PairRoundings.h - two roundings in one instruction -------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CUDA_PAIRROUNDINGS_H
#define HEDDLE_TARGETS_CUDA_PAIRROUNDINGS_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Adds patterns that round two neighbouring elements of an f32 vector to bf16 or f16 with one instruction,
/// nvvm.convert.f32x2.to.bf16x2 or nvvm.convert.f32x2.to.f16x2. LLVM would round the elements one by one, with
/// instructions that have a quarter of the throughput. Another pattern lowers heddle.pair to the conversion to bf16x2.
void populatePairRoundings(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_TARGETS_CUDA_PAIRROUNDINGS_H
