//===- Calibration.cpp - plans a model's low precision --------------------===//

#include "Calibration.h"
#include "ColumnSearch.h"

#include "heddle/Memory.h"
#include "heddle/Verify.h"
#include "interpreter/Footprint.h"

#include "Notes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// A function that is called with a value of the model and the tensor that the interpreter computed for it.
using Seen = llvm::function_ref<void(Value, const Tensor &)>;

/// Interprets `module`, which was made from the model of `test`, on the inputs of `test`. Calls `seen` with every value
/// and its tensor.
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

LogicalResult heddle::checkCalibrationMemory(ModuleOp model, uint64_t bytes) {
  StringRef source = notes::source.get(model).value_or("the model");
  llvm::Error error = checkMemory("interpreting " + source + " for calibration", bytes);
  if (!error)
    return success();
  return emitError(UnknownLoc::get(model.getContext())) << llvm::toString(std::move(error));
}

/// Returns the peak memory of findOutlierChannels, in bytes: the memory of one interpretation and of the input rows of
/// each layer in all cases except those that are only compared.
static uint64_t searchBytes(const PrecisionPlan &plan, ArrayRef<CalibrationCase> cases) {
  // The elements are floats in a vector whose capacity doubles when it is full, and the old vector exists during the
  // copy.
  constexpr uint64_t bytesOfElement = 3 * sizeof(float);
  uint64_t rows = 0, peak = 0;
  for (const CalibrationCase &test : cases) {
    if (test.isOnlyCompared)
      continue;
    OwningOpRef<ModuleOp> copy = test.model.module.get().clone();
    for (StoredLayer &layer : takeLayers(*copy, plan.choice))
      rows = llvm::SaturatingMultiplyAdd(uint64_t(layer.linear.getInput().getType().getNumElements()), bytesOfElement,
                                         rows);
    peak = std::max(peak, peakBytes(mainOf(*copy)));
  }
  return llvm::SaturatingAdd(rows, peak);
}

/// Returns whether a layer of the model may have outlier channels.
static bool mayHaveOutliers(ModuleOp model, const PrecisionPlan &plan) {
  OwningOpRef<ModuleOp> copy = model.clone();
  return !llvm::all_of(takeLayers(*copy, plan.choice), [](const StoredLayer &layer) { return layer.isInBlocks; });
}

LogicalResult heddle::findOutlierChannels(PrecisionPlan &plan, MutableArrayRef<CalibrationCase> cases) {
  if (cases.empty() || !mayHaveOutliers(*cases.front().model.module, plan))
    return success();
  if (failed(checkCalibrationMemory(*cases.front().model.module, searchBytes(plan, cases))))
    return failure();
  llvm::StringMap<ColumnSearch> searches; // the keys are those of the layers
  for (CalibrationCase &test : cases) {
    if (test.isOnlyCompared)
      continue;
    OwningOpRef<ModuleOp> copy = test.model.module->clone();
    DenseMap<Value, SmallVector<std::string>> layers; // for each value, the keys of the layers whose input it is
    for (const StoredLayer &layer : takeLayers(*copy, plan.choice)) {
      LinearOp linear = layer.linear;
      if (!layer.isInBlocks)
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
             << "precision " << plan.choice.text << ": for the calibration inputs, no row that is multiplied by weight "
             << "'" << entry.first() << "' is finite";
    plan.outliers[entry.first()] = entry.second.find();
  }
  return success();
}
