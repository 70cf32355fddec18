//===- WorkEstimate.h - estimates of instruction counts ---------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_WORKESTIMATE_H
#define HEDDLE_TARGETS_CPU_WORKESTIMATE_H

#include "mlir/IR/Block.h"

namespace heddle {

/// Returns an estimate of the number of instructions that one execution of the block takes. An operation without
/// regions counts as one instruction for each vector register (of `vectorBits` bits) that its results fill, and as at
/// least one instruction. The instructions in a loop are multiplied by the maximum of its trip count, or by 1000 if the
/// bounds of the loop are not known.
double estimateWork(mlir::Block &block, double vectorBits);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_WORKESTIMATE_H
