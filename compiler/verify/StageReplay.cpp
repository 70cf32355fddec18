//===- StageReplay.cpp - runs @main again and checks each kernel ----------===//

#include "StageReplay.h"

#include "heddle/WeightTable.h"
#include "interpreter/Buffer.h"

#include "Notes.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace heddle;

FailureOr<Tensor> heddle::currentElements(Operation *op, const Tensor &value) {
  return value.buffer() ? value.buffer()->load(op) : FailureOr<Tensor>(value);
}

StageBisect::Replay::Replay(StageBisect &bisect, Stage stage, func::FuncOp main)
    : bisect(bisect), stage(stage), main(main) {
  options.precision = Precision::F32;
  options.weights = bisect.weights;
  options.seed = bisect.seed;
}

/// Creates the arguments of @main: its inputs and, after bufferization, the weights, the buffers for results and the
/// arena.
LogicalResult StageBisect::Replay::makeArguments() {
  ArrayRef<Tensor> inputs = bisect.inputs;
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (notes::weights.has(main, i)) {
      std::vector<char> block;
      if (failed(evaluateWeights(main->getParentOfType<ModuleOp>(), bisect.store,
                                 [&](ArrayRef<char> bytes) { llvm::append_range(block, bytes); })))
        return failure();
      block.resize(std::max<size_t>(block.size(), 1));
      arguments.push_back(Tensor(Buffer::ofBytes(std::move(block), type.getContext())));
    } else if (notes::result.has(main, i) || notes::arena.has(main, i)) {
      FailureOr<Buffer> memory = Buffer::allocate(main, buffer.getShape(), buffer.getElementType());
      if (failed(memory))
        return failure();
      arguments.push_back(Tensor(std::move(*memory)));
      if (notes::result.has(main, i))
        destinations.push_back(arguments.back());
    } else {
      if (inputs.empty())
        return main.emitOpError() << "has an argument " << i << " that is not an input, result, weight or arena";
      arguments.push_back(buffer ? Tensor(Buffer::of(inputs.front())) : inputs.front());
      inputs = inputs.drop_front();
    }
  }
  return success();
}

/// Compares operand `i` of a call with the same operand after stage `kernels`. A difference is an error of @main. In
/// this case, the kernel runs with the operand of stage `kernels`.
LogicalResult StageBisect::Replay::checkOperand(func::CallOp op, unsigned i, Tensor &operand) {
  Call &call = bisect.calls[next];
  Tensor &expected = call.operands[i];
  FailureOr<Tensor> actual = currentElements(op, operand);
  if (failed(actual))
    return failure();
  if (call.isWeight[i] && !operand.buffer() && actual->tensorType() != expected.tensorType()) {
    expected = std::move(*actual); // a packed weight: the kernel's results show whether it is correct
    return success();
  }
  std::string name = ("operand " + Twine(i) + " of call " + Twine(next) + ", of @" + call.callee + ",").str();
  Comparison comparison = compare(name, *actual, expected, expected);
  if (comparison.ok)
    return success();
  if (!bisect.hasFailed("main"))
    bisect.note(stage, "main", std::move(comparison));
  if (!operand.buffer())
    operand = expected;
  else if (actual->tensorType() == expected.tensorType())
    return operand.buffer()->store(op, expected);
  return success();
}

/// Interprets the kernel with the operands that @main passes, and compares the kernel's results with the reference. The
/// kernel's result buffers (`places`) and scratch memory are undefined before the call, so that elements that the
/// kernel does not write are found.
void StageBisect::Replay::judgeKernel(func::FuncOp kernel, ArrayRef<Tensor> operands, ArrayRef<Tensor> places) {
  std::string error;
  ScopedDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &diagnostic) {
    if (error.empty())
      error = diagnostic.str();
    return success();
  });
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.buffer() && notes::scratch.has(kernel, i))
      operand.buffer()->forget();
  for (const Tensor &place : places)
    if (place.buffer())
      place.buffer()->forget();
  InterpreterOptions alone = options;
  alone.call = nullptr;
  FailureOr<SmallVector<Tensor>> yielded = interpret(kernel, operands, alone);
  if (failed(yielded))
    return bisect.noteError(stage, kernel.getName(), error);
  const Reference &reference = bisect.kernels[kernel.getName()].reference;
  for (unsigned i = 0; i < places.size(); ++i) {
    FailureOr<Tensor> actual = currentElements(kernel, places[i].buffer() ? places[i] : (*yielded)[i]);
    if (failed(actual))
      return bisect.noteError(stage, kernel.getName(), error);
    bisect.note(stage, kernel.getName(),
                compare(resultName(kernel, i), *actual, reference.wide[i], reference.narrow[i]));
  }
}

/// Checks that no input of the kernel overlaps a buffer that the kernel writes, such as a result or scratch memory. The
/// arena is not checked, because it contains other buffers. An overlap is an error of @main, not of the kernel.
bool StageBisect::Replay::checkPlaces(func::FuncOp kernel, ArrayRef<Tensor> operands, unsigned inputs) {
  for (unsigned i = 0; i < inputs; ++i)
    for (unsigned written = inputs; written < operands.size(); ++written) {
      if (!operands[i].buffer() || notes::arena.has(kernel, written) ||
          !operands[i].buffer()->overlaps(*operands[written].buffer()))
        continue;
      if (!bisect.hasFailed("main"))
        bisect.noteError(stage, "main",
                         ("operand " + Twine(i) + " of call " + Twine(next) + ", of @" + kernel.getName() +
                          ", overlaps operand " + Twine(written) + ", which the call writes")
                             .str());
      return false;
    }
  return true;
}

LogicalResult StageBisect::Replay::replayCall(func::CallOp op, MutableArrayRef<Tensor> operands,
                                              SmallVectorImpl<Tensor> &results) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (next == bisect.calls.size() || bisect.calls[next].callee != op.getCallee() || !kernel)
    return op.emitOpError() << "calls @" << op.getCallee() << " as call " << next
                            << ", but after stage kernels this call was of "
                            << (next == bisect.calls.size() ? "no kernel" : "@" + bisect.calls[next].callee);
  Call &call = bisect.calls[next];
  if (operands.size() < call.operands.size())
    return op.emitOpError() << "passes " << operands.size() << " operands, but after stage kernels the number was "
                            << call.operands.size();
  // The last operands at stage `kernels` are the tensors that the results overwrite. Bufferization turns them into the
  // buffers for results. Later stages append further operands.
  unsigned inputs = call.operands.size() - call.results.size();
  // The recorded operands and results are converted to the element types of this stage, except weights: a later stage
  // may have packed a weight, which then has another shape.
  for (auto [i, known] : llvm::enumerate(call.operands))
    if (!call.isWeight[i])
      known = withType(known, getElementTypeOrSelf(op.getOperand(i).getType()));
  for (auto [i, known] : llvm::enumerate(call.results))
    known = withType(known, getElementTypeOrSelf(op.getOperand(inputs + i).getType()));
  for (unsigned i = 0; i < inputs; ++i)
    if (failed(checkOperand(op, i, operands[i])))
      return failure();
  ArrayRef<Tensor> places = ArrayRef<Tensor>(operands).slice(inputs, call.results.size());
  bool apart = checkPlaces(kernel, operands, inputs);
  if (apart && !bisect.hasFailed(op.getCallee()) && judged.insert(op.getCallee()).second)
    judgeKernel(kernel, operands, places);
  for (auto [place, result] : llvm::zip_equal(places, call.results))
    if (place.buffer() && failed(place.buffer()->store(op, result)))
      return failure();
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    results.push_back(places[i].buffer() ? places[i] : call.results[i]);
  ++next;
  return success();
}

LogicalResult StageBisect::Replay::checkOutputs(ArrayRef<Tensor> returned) {
  ArrayRef<Tensor> values = destinations.empty() ? returned : ArrayRef<Tensor>(destinations);
  if (values.size() != bisect.outputs.size())
    return main.emitOpError() << "yields " << values.size() << " results, but after stage kernels the number was "
                              << bisect.outputs.size();
  for (auto [i, value] : llvm::enumerate(values)) {
    FailureOr<Tensor> actual = currentElements(main, value);
    if (failed(actual))
      return failure();
    bisect.note(stage, "main", compare(bisect.outputNames[i], *actual, bisect.outputs[i], bisect.outputs[i]));
  }
  return success();
}

LogicalResult StageBisect::Replay::run() {
  std::string error;
  ScopedDiagnosticHandler handler(main.getContext(), [&](Diagnostic &diagnostic) {
    if (error.empty())
      error = diagnostic.str();
    return success();
  });
  options.call = [&](func::CallOp op, MutableArrayRef<Tensor> operands, SmallVectorImpl<Tensor> &results) {
    return replayCall(op, operands, results);
  };
  if (failed(makeArguments())) {
    bisect.noteError(stage, "main", error);
    return success();
  }
  FailureOr<SmallVector<Tensor>> returned = interpret(main, arguments, options);
  if (!bisect.hasFailed("main") && (failed(returned) || failed(checkOutputs(*returned))))
    bisect.noteError(stage, "main", error);
  return success();
}
