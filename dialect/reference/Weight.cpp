//===- Weight.cpp - the meaning of heddle.weight --------------------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// Evaluates heddle.weight: the result is the value that the function `weights` in the interpreter's options returns.
static LogicalResult evaluateWeight(WeightOp op, MutableArrayRef<Tensor>, Evaluator &evaluator,
                                    SmallVectorImpl<Tensor> &results) {
  if (!evaluator.getOptions().weights)
    return op.emitOpError() << "names the weight '" << op.getName() << "', but no weights were given";
  FailureOr<Tensor> value = evaluator.getOptions().weights(op);
  if (failed(value))
    return op.emitOpError() << "has no value for the weight '" << op.getName() << "'";
  results.push_back(*value);
  return success();
}

void heddle::registerWeightReference(MLIRContext *context) { attach<WeightOp, evaluateWeight>(context); }
