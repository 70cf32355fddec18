//===- Func.cpp - evaluation of func.call ---------------------------------===//

#include "interpreter/Models.h"

using namespace mlir;
using namespace heddle;

/// Runs the called function, or InterpreterOptions::call instead if it is set.
static LogicalResult call(func::CallOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                          SmallVectorImpl<Tensor> &results) {
  if (evaluator.getOptions().call)
    return evaluator.getOptions().call(op, operands, results);
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!callee)
    return op.emitOpError() << "calls @" << op.getCallee() << ", which is not a function of this module";
  FailureOr<SmallVector<Tensor>> values = evaluator.call(callee, operands);
  if (failed(values))
    return failure();
  results = *values;
  return success();
}

void heddle::registerFuncModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) { attach<func::CallOp, call>(context); });
}
