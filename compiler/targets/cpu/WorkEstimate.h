//===- WorkEstimate.h - estimates of instruction counts ---------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_WORKESTIMATE_H
#define HEDDLE_TARGETS_CPU_WORKESTIMATE_H

#include "mlir/IR/Block.h"

namespace heddle {

/// Returns an estimate of the number of instructions that one execution of the block takes. An operation counts one for
/// each vector register (of `vectorBits` bits) of its results. A loop multiplies by the maximum of its trip count, or
/// by 1000 if its bounds are not known.
double estimateWork(mlir::Block &block, double vectorBits);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_WORKESTIMATE_H
