//===- WorkEstimate.h - estimates instruction counts ------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_WORKESTIMATE_H
#define HEDDLE_TARGETS_CPU_WORKESTIMATE_H

#include "mlir/IR/Block.h"

namespace heddle {

/// Returns roughly the number of instructions of one execution of the block. An operation counts one for each vector
/// register (of `vectorBits` bits) of its results, and a loop multiplies by its trip count if that is known.
double estimateWork(mlir::Block &block, double vectorBits);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_WORKESTIMATE_H
