//===- Launch.cpp - the meaning of heddle.launch --------------------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// Runs the workgroups one at a time, in a random order, since their order is unspecified.
static LogicalResult evaluateLaunch(LaunchOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                    SmallVectorImpl<Tensor> &) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getKernelAttr());
  if (!kernel)
    return op.emitOpError() << "runs " << op.getKernel() << ", which is not a function of this module";
  SmallVector<Tensor> arguments(operands.begin(), operands.end());
  for (int64_t group : shuffled(std::max<int64_t>(operands[0].ints()[0], 0), evaluator)) {
    arguments[0] = Tensor({}, IndexType::get(op.getContext()), std::vector<int64_t>{group});
    if (failed(evaluator.call(kernel, arguments)))
      return failure();
  }
  return success();
}

void heddle::registerLaunchReference(MLIRContext *context) { attach<LaunchOp, evaluateLaunch>(context); }
