//===- Calibration.cpp - layers seen at work ------------------------------===//

#include "Calibration.h"
#include "ColumnSearch.h"

#include "heddle/Verify.h"

using namespace mlir;
using namespace heddle;

static func::FuncOp mainOf(ModuleOp module) { return module.lookupSymbol<func::FuncOp>("main"); }

using Seen = llvm::function_ref<void(Value, const Tensor &)>;

/// Interprets a case's model, or what was made of it, and calls `seen` with every value that has a tensor.
static LogicalResult watch(ModuleOp module, const CalibrationCase &test, Seen seen) {
  func::FuncOp main = mainOf(module);
  InterpreterOptions options;
  options.precision = Precision::F32;
  options.weights = weightsFrom(test.model.weights);
  options.probe = [&](Operation *op, ArrayRef<Tensor> results) {
    for (auto [value, tensor] : llvm::zip(op->getResults(), results))
      seen(value, tensor);
  };
  for (auto [value, tensor] : llvm::zip_equal(main.getArguments(), test.inputs))
    seen(value, tensor);
  return interpret(main, test.inputs, options);
}

LogicalResult heddle::findExactColumns(PrecisionPlan &plan, MutableArrayRef<CalibrationCase> cases) {
  llvm::StringMap<ColumnSearch> searches; // by key
  for (CalibrationCase &test : cases) {
    if (test.isOnlyJudged)
      continue;
    OwningOpRef<ModuleOp> copy = test.model.module->clone();
    DenseMap<Value, SmallVector<std::string>> layers; // by input
    for (const StoredLayer &layer : takeLayers(*copy, plan.choice)) {
      LinearOp linear = layer.linear;
      layers[linear.getInput()].push_back(layer.key());
    }
    auto seen = [&](Value value, const Tensor &tensor) {
      for (const std::string &key : layers.lookup(value))
        searches[key].addRows(tensor.floats(), tensor.shape().back());
    };
    if (failed(watch(*copy, test, seen)))
      return failure();
  }
  for (auto &entry : searches) {
    if (entry.second.isBlind())
      return cases.front().model.module->emitError()
             << "precision " << plan.choice.text << ": on the inputs that layers are seen at work on, no row that is "
             << "multiplied by weight " << entry.first() << " is finite";
    plan.exact[entry.first()] = entry.second.find();
  }
  return success();
}
