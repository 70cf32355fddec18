//===- Dispatch.cpp - the meaning of heddle.dispatch ----------------------===//

#include "interpreter/Buffer.h"
#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// Runs the tasks one at a time, in a random order. Before each task the scratch memory is marked as unwritten, so
/// tests detect a task that reads elements that another task has written there.
static LogicalResult evaluateDispatch(DispatchOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                      SmallVectorImpl<Tensor> &) {
  auto task = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getTaskAttr());
  if (!task)
    return op.emitOpError() << "runs " << op.getTask() << ", which is not a function of this module";
  SmallVector<Tensor> arguments(1);
  if (op.getScratch())
    arguments.push_back(operands[op.getODSOperandIndexAndLength(2).first]);
  llvm::append_range(arguments, operands.take_back(op.getCaptures().size()));
  for (int64_t number : shuffled(std::max<int64_t>(operands[0].ints()[0], 0), evaluator)) {
    arguments[0] = Tensor({}, IndexType::get(op.getContext()), std::vector<int64_t>{number});
    if (op.getScratch())
      arguments[1].buffer()->forget();
    if (failed(evaluator.call(task, arguments)))
      return failure();
  }
  return success();
}

void heddle::registerDispatchReference(MLIRContext *context) { attach<DispatchOp, evaluateDispatch>(context); }
