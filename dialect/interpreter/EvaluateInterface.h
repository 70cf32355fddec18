//===- EvaluateInterface.h - interface of interpreted ops -------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_EVALUATEINTERFACE_H
#define HEDDLE_DIALECT_INTERPRETER_EVALUATEINTERFACE_H

#include "interpreter/Tensor.h"

#include "mlir/IR/OpDefinition.h"

#include <functional>

namespace heddle {

class Evaluator;

/// An array of elements, one for each point of an iteration space: doubles for floats, otherwise integers.
union Column {
  double *floats;
  int64_t *ints;
};

/// Computes n elements of each result of an op from n elements of each operand. The function was created for an op with
/// certain types and attributes, on which it depends.
using LaneFunction =
    std::function<llvm::LogicalResult(llvm::ArrayRef<Column> operands, llvm::ArrayRef<Column> results, int64_t n)>;

} // namespace heddle

#include "EvaluateInterface.h.inc"

#endif // HEDDLE_DIALECT_INTERPRETER_EVALUATEINTERFACE_H
