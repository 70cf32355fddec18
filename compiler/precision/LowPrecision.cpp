//===- LowPrecision.cpp - changes a model's precision ---------------------===//

#include "Calibration.h"

#include "heddle/ModelDigest.h"
#include "heddle/Stages.h"

#include "Notes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace heddle;

LogicalResult heddle::recogniseLayers(ModuleOp module) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  buildRecognisePipeline(manager);
  return manager.run(module);
}

/// Applies `change` to the model's module, and ensures that it is also applied to each later import of the model at
/// other sizes.
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

/// Includes the plan in the model's fingerprint, so that a state that the model wrote in another format is refused.
static void identifyPlan(Model &model, const PrecisionPlan &plan) {
  if (!model.identify)
    return;
  std::map<std::string, std::string> layers;
  for (const auto &[layer, columns] : plan.outliers)
    for (int64_t column : columns)
      layers[layer.str()] += " " + std::to_string(column);
  for (const auto &[layer, format] : plan.exceptions)
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

/// Stores the weights of layers in `type`, "f16" or "bf16", without rounding anything else.
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

/// Returns the kinds of layers to which `choice` applies, as text for the error that the model contains none of them.
static std::string missingParts(ModuleOp module, const PrecisionChoice &choice) {
  auto isAsked = [&](ModelPart part) { return choice.of(part) != LayerFormat::F32; };
  SmallVector<StringRef> layers, stored, missing;
  if (isAsked(ModelPart::Linear))
    layers.push_back("linear");
  if (isAsked(ModelPart::Ffn))
    layers.push_back("feed-forward");
  std::string layer = llvm::join(layers, " or ") + " layer", attention = "attention in f32";
  if (!layers.empty())
    stored.push_back(layer);
  if (isAsked(ModelPart::Embedding))
    stored.push_back("table");
  std::string weights = llvm::join(stored, " or ") + " whose weights are constants in f32 or a narrower type";
  if (!stored.empty())
    missing.push_back(weights);
  if (isAsked(ModelPart::Attention)) {
    bool hasStates = false;
    module.walk([&](AttentionOp op) { hasStates |= readsState(op); });
    if (hasStates)
      attention += ", except attention that reads a state, which is computed in f32 (--state-precision sets the type "
                   "of states)";
    missing.push_back(attention);
  }
  return llvm::join(missing, ", and no ");
}

/// Emits an error and fails if the requested precision applies to no layer of the model. Writes a note if the model has
/// attention that remains in f32 because of the device.
static LogicalResult checkLayers(Model &model, const PrecisionOptions &options) {
  const PrecisionChoice &choice = options.choice;
  OwningOpRef<ModuleOp> copy = model.module->clone();
  if (failed(recogniseLayers(*copy)))
    return failure();
  if (options.leavesAttention && options.notes && !findAttention(*copy).empty())
    *options.notes << "heddle: precision " << choice.text << ": this device computes attention in f32\n";
  if (lowerPrecision(*copy, {choice, {}, {}}))
    return success();
  return model.module->emitError() << "precision " << choice.text << ": the model has no "
                                   << missingParts(*copy, choice);
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
  if (failed(checkLayers(model, options)))
    return failure();
  for (CalibrationCase &test : cases)
    if (failed(recogniseLayers(*test.model.module)))
      return failure();
  if (failed(findOutlierChannels(plan, cases)) || (options.minCosine > 0 && failed(holdCosine(plan, options, cases))))
    return failure();
  identifyPlan(model, plan);
  return changeAlways(model, [plan = std::move(plan)](ModuleOp module) {
    if (failed(recogniseLayers(module)))
      return failure();
    lowerPrecision(module, plan);
    // The name of the module contains its precision if it is lower than f32.
    if (std::optional<StringRef> source = notes::source.get(module))
      notes::source.set(module, (*source + " in " + plan.choice.text).str());
    return success();
  });
}
