//===- Interpreter.cpp - execution of functions on tensors ----------------===//

#include "interpreter/Interpreter.h"
#include "interpreter/Models.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace heddle;

#include "EvaluateInterface.cpp.inc"

void heddle::registerInterpreter(DialectRegistry &registry) {
  registerAffineModels(registry);
  registerAmxModels(registry);
  registerArithModels(registry);
  registerBufferizationModels(registry);
  registerFuncModels(registry);
  registerLinalgModels(registry);
  registerMathModels(registry);
  registerMemRefModels(registry);
  registerScfModels(registry);
  registerTensorModels(registry);
  registerVectorModels(registry);
  registerReferenceModels(registry);
}

/// Whether a tensor, memref or scalar is a value of this type. A dynamic dimension of the type accepts any size.
static bool fits(const Tensor &value, Type type) {
  if (value.elementType() != getElementTypeOrSelf(type))
    return false;
  auto shaped = dyn_cast<ShapedType>(type);
  if (isa<BaseMemRefType>(type) != (value.buffer() != nullptr))
    return false;
  if (!shaped)
    return value.rank() == 0;
  return succeeded(verifyCompatibleShape(value.shape(), shaped.getShape()));
}

FailureOr<SmallVector<Tensor>> heddle::interpret(func::FuncOp function, ArrayRef<Tensor> arguments,
                                                 const InterpreterOptions &options) {
  if (arguments.size() != function.getNumArguments())
    return function.emitOpError() << "takes " << function.getNumArguments() << " arguments, got " << arguments.size();
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (!argument.elementType() || !fits(argument, function.getArgumentTypes()[i]))
      return function.emitOpError() << "argument " << i << " must be " << function.getArgumentTypes()[i] << ", got "
                                  << (argument.elementType() ? Type(argument.tensorType()) : Type());
  return Evaluator(options).call(function, arguments);
}

const Tensor *Evaluator::find(Value value) const {
  auto it = frame->find(value.getAsOpaquePointer());
  return it == frame->end() ? nullptr : &it->second;
}

FailureOr<SmallVector<Tensor>> Evaluator::call(func::FuncOp function, ArrayRef<Tensor> arguments) {
  constexpr unsigned maxDepth = 100; // makes infinite recursion an error
  if (depth == maxDepth)
    return function.emitOpError("is called at a depth of more than ") << maxDepth << " calls (infinite recursion?)";
  if (function.isExternal())
    return function.emitOpError("has no body to interpret");
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has more than one block, which the interpreter does not run");
  Frame local, *caller = std::exchange(frame, &local);
  ++depth;
  FailureOr<SmallVector<Tensor>> results = run(function.getBody().front(), SmallVector<Tensor>(arguments));
  frame = caller;
  --depth;
  return results;
}

FailureOr<SmallVector<Tensor>> Evaluator::run(Block &block, SmallVector<Tensor> arguments) {
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    (*frame)[argument.getAsOpaquePointer()] = std::move(value);
  for (Operation &op : block.without_terminator())
    if (failed(run(&op)))
      return failure();
  SmallVector<Tensor> results;
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(*find(operand));
  // The operands of the terminator are removed from the frame: a loop-carried value is updated in place only if nothing
  // else refers to its elements.
  for (Value operand : block.getTerminator()->getOperands())
    if (operand.getParentBlock() == &block)
      frame->erase(operand.getAsOpaquePointer());
  return results;
}

/// Whether `op` is the last user of `value`: no later operation of the op's block and no nested region uses the value.
static bool isLastUse(Value value, Operation *op) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user->getBlock() == op->getBlock() && (user == op || user->isBeforeInBlock(op));
  });
}

/// Checks that no result of static shape has more than 2^32 elements, so an unintended size is an error instead of
/// a failed allocation.
static LogicalResult checkSizes(Operation *op) {
  constexpr int64_t maxElements = int64_t(1) << 32;
  for (Type type : op->getResultTypes()) {
    auto shaped = dyn_cast<ShapedType>(type);
    int64_t elements = 1;
    if (shaped && shaped.hasStaticShape())
      for (int64_t extent : shaped.getShape())
        if (llvm::MulOverflow(elements, extent, elements) || elements > maxElements)
          return op->emitOpError() << "is too large to interpret: " << type;
  }
  return success();
}

FailureOr<Evaluator::Decoded *> Evaluator::decode(Operation *op) {
  auto [it, isNew] = decoded.try_emplace(op);
  if (!isNew)
    return &it->second;
  it->second.evaluable = dyn_cast<EvaluateInterface>(op);
  if (!it->second.evaluable)
    return op->emitError() << "the interpreter does not support '" << op->getName() << "'";
  if (failed(checkSizes(op)))
    return failure();
  for (Value operand : op->getOperands())
    it->second.lastUses.push_back(op->getBlock() == operand.getParentBlock() && isLastUse(operand, op));
  return &it->second;
}

LogicalResult Evaluator::run(Operation *op) {
  FailureOr<Decoded *> known = decode(op);
  if (failed(known))
    return failure();
  SmallVector<Tensor> operands, results;
  for (Value operand : op->getOperands()) {
    const Tensor *value = find(operand);
    if (!value)
      return op->emitOpError("uses a value that the interpreter has not computed");
    operands.push_back(*value);
  }
  // Operands without further uses are removed from the frame before the op runs: the op can then free their memory,
  // which may be large for weights, or write its results to it.
  for (auto [operand, isLast] : llvm::zip_equal(op->getOperands(), (*known)->lastUses))
    if (isLast)
      frame->erase(operand.getAsOpaquePointer());
  if (failed((*known)->evaluable.evaluate(operands, *this, results)))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), results)) {
    if (roundsToNarrow(result.getType(), *this) && !value.buffer())
      for (double &element : value.mutableFloats())
        element = roundTo(cast<FloatType>(value.elementType()), element);
    if (!fits(value, result.getType()))
      return op->emitOpError() << "computes " << value.tensorType() << " where " << result.getType() << " is declared";
    if (!result.use_empty())
      (*frame)[result.getAsOpaquePointer()] = value;
  }
  if (options.probe)
    options.probe(op, results);
  return success();
}
