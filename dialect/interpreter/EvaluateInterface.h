//===- EvaluateInterface.h - interface of interpreted ops -------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_EVALUATEINTERFACE_H
#define HEDDLE_DIALECT_INTERPRETER_EVALUATEINTERFACE_H

#include "interpreter/Tensor.h"

#include "mlir/IR/OpDefinition.h"

#include <functional>

namespace heddle {

class Evaluator;

/// An array with one element for each point of an iteration space. The elements are `floats` if their type is a
/// floating-point type, otherwise `ints`. A column does not own its array.
union Column {
  double *floats;
  int64_t *ints;
};

/// Computes n elements of each result of an op from n elements of each operand. A lane function is created for one op,
/// and depends on its types and attributes.
using LaneFunction =
    std::function<llvm::LogicalResult(llvm::ArrayRef<Column> operands, llvm::ArrayRef<Column> results, int64_t n)>;

} // namespace heddle

#include "EvaluateInterface.h.inc"

#endif // HEDDLE_DIALECT_INTERPRETER_EVALUATEINTERFACE_H
