//===- WorkEstimate.h - how long a piece of code may run --------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_WORKESTIMATE_H
#define HEDDLE_TARGETS_CPU_WORKESTIMATE_H

#include "mlir/IR/Block.h"

namespace heddle {

/// Instructions that one run of the block takes, roughly: an operation is one per
/// vector register (of so many bits) of its results, a loop its trips, where they are known.
double estimateWork(mlir::Block &block, double vectorBits);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_WORKESTIMATE_H
