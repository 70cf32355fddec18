//===- SentenceModules.cpp - modules.json of sentence-transformers --------===//

#include "SentenceModules.h"

#include "heddle/Json.h"

#include "Activations.h"
#include "PooledTokens.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace heddle;

FailureOr<SentenceModules::Step> SentenceModules::readStep(MLIRContext &context, StringRef folder, bool dense) {
  Step step;
  step.folder = folder.str();
  std::string path = joinPath(folder, "config.json");
  if (!dense && !llvm::sys::fs::exists(path)) // older files of Normalize have no config.json
    return step;
  FailureOr<llvm::json::Object> object = readJsonObject(context, path);
  if (failed(object))
    return failure();
  Config config(FileLineColLoc::get(&context, path, 0, 0), *object);
  if (dense) {
    step.in = config.size("in_features");
    step.dense = {"linear", config.size("out_features")};
    step.dense->bias = config.flag("bias", true);
    step.activation = readTorchActivation(config, "activation_function", "torch.nn.modules.activation.Tanh");
    step.residual = config.flag("use_residual");
  }
  for (StringRef field : {"module_input_name", "module_output_name"})
    if (StringRef name = config.has(field) ? config.string(field, "") : "sentence_embedding";
        name != "sentence_embedding")
      config.refuse(field) << "'" << name << "' is not supported, only sentence_embedding";
  config.refuseUnread();
  if (config.failed())
    return failure();
  return step;
}

FailureOr<SentenceModules> SentenceModules::read(MLIRContext &context, StringRef directory) {
  SentenceModules result;
  std::string path = joinPath(directory, "modules.json");
  if (!llvm::sys::fs::exists(path))
    return result;
  FailureOr<llvm::json::Array> modules = readJsonArray(context, path);
  if (failed(modules))
    return failure();
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  for (const llvm::json::Value &value : *modules) {
    const llvm::json::Object *module = value.getAsObject();
    std::optional<StringRef> type = module ? module->getString("type") : std::nullopt;
    std::optional<StringRef> folder = module ? module->getString("path") : std::nullopt;
    if (!type || !folder)
      return emitError(loc) << "expected modules with type and path";
    StringRef name = type->rsplit('.').second.empty() ? *type : type->rsplit('.').second;
    if (name == "Transformer") {
      if (!folder->empty())
        return emitError(loc) << "the encoder is expected in the directory itself, found in '" << *folder
                              << "'";
    } else if (name == "Pooling" && !result.pooling) {
      FailureOr<SentencePooling> pooling =
          SentencePooling::read(context, joinPath(joinPath(directory, *folder), "config.json"));
      if (failed(pooling))
        return failure();
      result.pooling = std::move(*pooling);
    } else if ((name == "Dense" || name == "Normalize") && result.pooling) {
      FailureOr<Step> step = readStep(context, joinPath(directory, *folder), name == "Dense");
      if (failed(step))
        return failure();
      result.steps.push_back(std::move(*step));
    } else if (name != "Dropout") {
      return emitError(loc) << "module " << *type << " is not supported, only Transformer, then Pooling, then Dense "
                            << "and Normalize";
    }
  }
  return result;
}

LogicalResult SentenceModules::check(Location loc, int64_t hidden) const {
  if (pooling->width != hidden)
    return emitError(loc) << "modules.json: pooling of " << pooling->width << " elements, but the encoder has "
                          << hidden;
  int64_t width = pooling->getOutWidth();
  for (const Step &step : steps) {
    if (step.dense && step.in != width)
      return emitError(loc) << "modules.json: a linear layer of " << step.in << " elements, but there are " << width;
    width = step.dense ? step.dense->out : width;
  }
  return success();
}

LogicalResult SentenceModules::readWeights(MLIRContext &context, Checkpoint &checkpoint) const {
  for (const Step &step : steps)
    if (step.dense && failed(checkpoint.add(context, joinPath(step.folder, "model.safetensors"))))
      return failure();
  return success();
}

Value SentenceModules::build(Layers &layers, Value hidden, Value mask) const {
  layers.enter("sentence_embedding");
  Value rows = pooling->build(layers.main, hidden, mask);
  for (const Step &step : steps) {
    if (!step.dense) {
      rows = normalizeRows(layers.main, rows);
      continue;
    }
    Value residual;
    if (step.residual)
      residual = step.in == step.dense->out ? rows : layers.linear(rows, {"residual", step.dense->out, /*bias=*/false});
    rows = layers.linear(rows, *step.dense, residual, step.activation);
  }
  return rows;
}
