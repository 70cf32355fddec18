//===- WorkEstimate.h - estimates of instruction counts ---------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_WORKESTIMATE_H
#define HEDDLE_TARGETS_CPU_WORKESTIMATE_H

#include "mlir/IR/Block.h"

namespace heddle {

/// Returns an estimate of the number of instructions that one execution of the block takes. An operation without
/// regions counts as one instruction for each vector register (of `vectorBits` bits) that its largest result fills, but
/// as at least one instruction. If it has no results, its largest operand is used instead. A copy counts as one
/// instruction for each element, or as 1000 instructions if the number of elements is unknown. A product of tiles
/// counts as one instruction for 256 sums in each step. The instructions in a loop or in a linalg operation are
/// multiplied by the maximum number of iterations, or by 1000 for each loop or dimension whose bounds or step are
/// unknown. A loop whose upper bound is a boolean and whose step is a constant counts as 0 iterations, because such a
/// loop computes a task of attention again, which rarely happens.
double estimateWork(mlir::Block &block, double vectorBits);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_WORKESTIMATE_H
