//===- StageBisect.cpp - finds the stage that changed results -------------===//

#include "StageReplay.h"

#include "heddle/Memory.h"
#include "heddle/Strategy.h"
#include "interpreter/Footprint.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

StageBisect::StageBisect(ArrayRef<Tensor> inputs, Reference reference, const WeightStore &weights, uint64_t seed)
    : inputs(inputs), reference(std::move(reference)), store(weights), weights(weightsFrom(weights)), seed(seed) {}

void StageBisect::note(Stage stage, StringRef kernel, Comparison comparison) {
  if (!comparison.ok)
    failures.insert(kernel);
  auto known = kernels.find(kernel);
  results.push_back(
      {stage, kernel.str(), known == kernels.end() ? "" : known->second.operation, std::move(comparison)});
}

void StageBisect::noteError(Stage stage, StringRef kernel, StringRef error) {
  Comparison comparison;
  comparison.problem = error;
  note(stage, kernel, std::move(comparison));
}

/// Returns the tensor rounded to its element type, which is how the next kernel reads it.
static Tensor rounded(const Tensor &tensor) {
  FailureOr<Tensor> result = Tensor::fromBytes(tensor.shape(), tensor.elementType(), tensor.toBytes());
  return succeeded(result) ? std::move(*result) : tensor;
}

Tensor heddle::withType(const Tensor &tensor, Type elementType) {
  if (tensor.elementType() == elementType || tensor.isFloat() != isa<FloatType>(elementType))
    return tensor;
  if (tensor.isFloat())
    return rounded(Tensor(tensor.shape(), elementType, tensor.floats().vec()));
  return Tensor(tensor.shape(), elementType, tensor.ints().vec());
}

/// Runs all of @main in f64 and compares its results with the reference.
void StageBisect::judgeMain(Stage stage, func::FuncOp main) {
  std::string error;
  ScopedDiagnosticHandler handler(main.getContext(), [&](Diagnostic &diagnostic) {
    if (error.empty())
      error = diagnostic.str();
    return success();
  });
  InterpreterOptions options;
  options.weights = weights;
  SmallVector<Tensor> arguments;
  for (auto [input, type] : llvm::zip_equal(inputs, main.getArgumentTypes()))
    arguments.push_back(withType(input, getElementTypeOrSelf(type)));
  FailureOr<SmallVector<Tensor>> values = interpret(main, arguments, options);
  if (failed(values))
    return noteError(stage, "main", error);
  // After the outputs, @main may also return the result of the index check (not 0 if an index was out of bounds), which
  // is not compared.
  for (auto [i, value] : llvm::enumerate(ArrayRef(*values).take_front(reference.wide.size())))
    note(stage, "main", compare(resultName(main, i), value, reference.wide[i], reference.narrow[i]));
}

/// Interprets @main again and records the operands and results of each call of a kernel.
LogicalResult StageBisect::capture(func::FuncOp main) {
  InterpreterOptions wide, narrow;
  wide.weights = narrow.weights = weights;
  narrow.precision = Precision::F32;
  InterpreterOptions options = wide;
  options.call = [&](func::CallOp op, MutableArrayRef<Tensor> operands,
                     SmallVectorImpl<Tensor> &yielded) -> LogicalResult {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
    if (!callee)
      return op.emitOpError() << "calls @" << op.getCallee() << ", which is not a function of the module";
    FailureOr<SmallVector<Tensor>> values = interpret(callee, operands, wide);
    if (failed(values))
      return failure();
    if (!kernels.contains(op.getCallee())) {
      FailureOr<SmallVector<Tensor>> inF32 = interpret(callee, operands, narrow);
      if (failed(inF32))
        return failure();
      kernels[op.getCallee()] = {kernelOp(callee), {*values, *inF32}};
    }
    Call &call = calls.emplace_back();
    call.callee = op.getCallee().str();
    for (auto [value, operand] : llvm::zip_equal(op.getOperands(), operands)) {
      call.operands.push_back(operand);
      call.isWeight.push_back(isa_and_nonnull<WeightOp>(value.getDefiningOp()));
    }
    for (const Tensor &value : *values)
      call.results.push_back(rounded(value));
    llvm::append_range(yielded, call.results);
    return success();
  };
  uint64_t kept = 0;
  main.walk([&](func::CallOp op) { kept = llvm::SaturatingAdd(kept, interpretedBytes(op.getResultTypes())); });
  if (llvm::Error error = checkMemory("storing the results of every call", kept))
    return main.emitError() << llvm::toString(std::move(error));
  SmallVector<Tensor> arguments;
  for (auto [input, type] : llvm::zip_equal(inputs, main.getArgumentTypes()))
    arguments.push_back(rounded(withType(input, getElementTypeOrSelf(type))));
  FailureOr<SmallVector<Tensor>> values = interpret(main, arguments, options);
  if (failed(values))
    return failure();
  inputs = std::move(arguments);
  for (auto [i, value] : llvm::enumerate(*values)) {
    outputs.push_back(rounded(value));
    outputNames.push_back(resultName(main, i));
  }
  return success();
}

LogicalResult StageBisect::judge(Stage stage, ModuleOp module) {
  if (stage > Stage::Loops)
    return success();
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return failure();
  if (stage <= Stage::Kernels) {
    if (!hasFailed("main"))
      judgeMain(stage, main);
    return stage == Stage::Kernels ? capture(main) : success();
  }
  return Replay(*this, stage, main).run();
}

std::string StageJudgement::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << kernel << (operation.empty() ? "" : " (" + operation + ")") << " after " << stageName(stage) << ": ";
  if (comparison.ok || !comparison.first) {
    stream << (comparison.shape.empty() && !comparison.problem.empty() ? comparison.problem + ": FAIL"
                                                                       : comparison.text());
    return text;
  }
  stream << comparison.output << " differs first at [";
  llvm::interleaveComma(comparison.first->where, stream);
  stream << llvm::format("]: %.9g, expected %.9g", comparison.first->actual, comparison.first->reference);
  stream << llvm::format(", bound %.3g (max abs error %.3g): FAIL", comparison.bound, comparison.error);
  return text;
}
