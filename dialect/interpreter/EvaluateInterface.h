//===- EvaluateInterface.h - an op that the interpreter can run -*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_EVALUATEINTERFACE_H
#define HEDDLE_DIALECT_INTERPRETER_EVALUATEINTERFACE_H

#include "interpreter/Tensor.h"

#include "mlir/IR/OpDefinition.h"

#include <functional>

namespace heddle {

class Evaluator;

/// Elements side by side, one per point of an iteration space: doubles for floats, else integers.
union Column {
  double *floats;
  int64_t *ints;
};

/// Computes n elements of each result. A decoded op: types and attributes are already looked at.
using LaneFunction =
    std::function<llvm::LogicalResult(llvm::ArrayRef<Column> operands, llvm::ArrayRef<Column> results, int64_t n)>;

} // namespace heddle

#include "EvaluateInterface.h.inc"

#endif // HEDDLE_DIALECT_INTERPRETER_EVALUATEINTERFACE_H
