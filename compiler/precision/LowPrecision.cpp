//===- LowPrecision.cpp - changes a model's precision ---------------------===//

#include "Calibration.h"

#include "heddle/ModelDigest.h"
#include "heddle/Stages.h"

#include "Notes.h"

#include "mlir/Pass/PassManager.h"

#include <map>

using namespace mlir;
using namespace heddle;

LogicalResult heddle::recogniseLayers(ModuleOp module) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  buildRecognisePipeline(manager);
  return manager.run(module);
}

/// Applies `change` to the model, and to the modules that it is imported as for other sizes.
static LogicalResult changeAlways(Model &model, std::function<LogicalResult(ModuleOp)> change) {
  if (failed(change(*model.module)))
    return failure();
  if (model.importAgain)
    model.importAgain = [again = std::move(model.importAgain), change](const SizeOptions &sizes) -> FailureOr<Model> {
      FailureOr<Model> imported = again(sizes);
      if (failed(imported) || failed(changeAlways(*imported, change)))
        return failure();
      return imported;
    };
  return success();
}

/// Makes the model's identity depend on the plan, so that a state written by the model in another format is refused.
static void identifyPlan(Model &model, const PrecisionPlan &plan) {
  if (!model.identify)
    return;
  std::map<std::string, std::string> layers;
  for (const auto &[layer, columns] : plan.exact)
    for (int64_t column : columns)
      layers[layer.str()] += " " + std::to_string(column);
  for (const auto &[layer, format] : plan.left)
    layers[layer.str()] += " " + formatName(format).str();
  std::string text = plan.choice.text;
  for (const auto &[layer, what] : layers)
    text += "\n" + layer + what;
  model.identify = [identify = std::move(model.identify), text] {
    ModelDigest digest;
    digest.add(text);
    return digest.get() ^ identify();
  };
}

static LogicalResult storeOnly(Model &model, StringRef type) {
  return changeAlways(model, [isHalf = type == "f16"](ModuleOp module) {
    MLIRContext *context = module.getContext();
    storeLayerWeights(module, isHalf ? Type(Float16Type::get(context)) : BFloat16Type::get(context));
    return success();
  });
}

LogicalResult heddle::storeStates(Model &model, StateFormat format) {
  return changeAlways(model, [format](ModuleOp module) { return storeStateRows(module, format); });
}

static LogicalResult checkLayers(Model &model, const PrecisionChoice &choice) {
  OwningOpRef<ModuleOp> copy = model.module->clone();
  if (failed(recogniseLayers(*copy)))
    return failure();
  if (lowerPrecision(*copy, {choice, {}, {}}))
    return success();
  bool isOfAttention = choice.of(ModelPart::Attention) != LayerFormat::F32;
  return model.module->emitError()
         << "precision " << choice.text
         << ": the model has no linear or feed-forward layer or table of f32 or less whose weights are stored"
         << (isOfAttention ? ", and no attention of f32" : "");
}

LogicalResult heddle::lowerModel(Model &model, const PrecisionOptions &options,
                                 MutableArrayRef<CalibrationCase> cases) {
  PrecisionPlan plan;
  plan.choice = options.choice;
  if (!options.choice.storage.empty()) {
    identifyPlan(model, plan);
    return storeOnly(model, options.choice.storage);
  }
  if (!options.choice.rounds())
    return success();
  if (failed(checkLayers(model, options.choice)))
    return failure();
  for (CalibrationCase &test : cases)
    if (failed(recogniseLayers(*test.model.module)))
      return failure();
  if (failed(findExactColumns(plan, cases)) || (options.leastCosine > 0 && failed(holdCosine(plan, options, cases))))
    return failure();
  identifyPlan(model, plan);
  return changeAlways(model, [plan = std::move(plan)](ModuleOp module) {
    if (failed(recogniseLayers(module)))
      return failure();
    lowerPrecision(module, plan);
    // The module's name says that it computes in less than f32.
    if (std::optional<StringRef> source = notes::source.get(module))
      notes::source.set(module, (*source + " in " + plan.choice.text).str());
    return success();
  });
}
