//===- Calibration.cpp - layers seen at work ------------------------------===//

#include "Calibration.h"
#include "ColumnSearch.h"

#include "heddle/Verify.h"

#include <cmath>

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

/// The most that `changed` is off by in a row.
static double relativeChange(const Tensor &changed, const Tensor &tensor) {
  double most = 0;
  size_t length = std::max<int64_t>(1, tensor.shape().back());
  for (size_t at = 0; at + length <= tensor.floats().size(); at += length) {
    double change = 0, squares = 0;
    for (auto [x, y] : llvm::zip_equal(changed.floats().slice(at, length), tensor.floats().slice(at, length)))
      change += (x - y) * (x - y), squares += y * y;
    double relative = change > 0 ? std::sqrt(change / squares) : 0;
    most = std::isnan(relative) ? relative : std::max(most, relative);
  }
  return most;
}

FailureOr<llvm::StringMap<double>> heddle::measureHarm(const PrecisionPlan &plan,
                                                       MutableArrayRef<CalibrationCase> cases) {
  llvm::StringMap<double> harm;
  for (CalibrationCase &test : cases) {
    OwningOpRef<ModuleOp> copy = test.model.module->clone();
    // Each layer has a twin before it, whose result nobody uses.
    DenseMap<Value, std::string> twins;
    DenseMap<Value, Value> twinOf;
    DenseMap<Value, Tensor> known;
    OpBuilder b(copy->getContext());
    for (const StoredLayer &layer : takeLayers(*copy, plan.choice)) {
      LayerFormat format = formatOf(layer, plan);
      LinearOp linear = layer.linear, twin = roundLayer(b, layer, format, exactOf(layer, format, plan));
      twinOf[linear.getResult()] = twin.getResult();
      twins[twin.getResult()] = layer.key();
    }
    auto seen = [&](Value value, const Tensor &tensor) {
      if (twins.contains(value))
        known[value] = tensor;
      Value twin = twinOf.lookup(value);
      if (!twin)
        return;
      double &most = harm[twins[twin]], change = relativeChange(known.at(twin), tensor);
      most = change <= most ? most : change;
      known.erase(twin);
    };
    if (failed(watch(*copy, test, seen)))
      return failure();
  }
  return harm;
}
