//===- WorkEstimate.h - estimates of instruction counts ---------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_WORKESTIMATE_H
#define HEDDLE_TARGETS_CPU_WORKESTIMATE_H

#include "mlir/IR/Block.h"

namespace heddle {

/// Returns an estimate of the number of instructions that one execution of the block takes. An operation without
/// regions counts as one instruction for each vector register (of `vectorBits` bits) that its largest result fills, or
/// its largest operand if it has no results, and as at least one instruction. A copy counts as one instruction for each
/// element. The instructions in a loop or in a linalg operation are multiplied by the maximum number of iterations, or
/// by 1000 for each loop or dimension with unknown bounds.
double estimateWork(mlir::Block &block, double vectorBits);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_WORKESTIMATE_H
