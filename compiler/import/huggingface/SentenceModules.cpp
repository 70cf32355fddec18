//===- SentenceModules.cpp - modules.json of sentence-transformers --------===//

#include "SentenceModules.h"

#include "heddle/Json.h"

#include "Activations.h"
#include "PooledTokens.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace heddle;

std::optional<SentenceModules::Step::Kind> SentenceModules::kindOf(StringRef name) {
  return llvm::StringSwitch<std::optional<Step::Kind>>(name)
      .Case("Dense", Step::Dense)
      .Case("LayerNorm", Step::LayerNorm)
      .Case("Normalize", Step::Normalize)
      .Default(std::nullopt);
}

LogicalResult SentenceModules::readStep(MLIRContext &context, Step &step) {
  std::string path = joinPath(step.folder, "config.json");
  if (step.kind == Step::Normalize && !llvm::sys::fs::exists(path)) // older versions save no config.json for Normalize
    return success();
  FailureOr<llvm::json::Object> object = readJsonObject(context, path);
  if (failed(object))
    return failure();
  Config config(FileLineColLoc::get(&context, path, 0, 0), *object);
  if (step.kind == Step::Dense) {
    step.in = config.size("in_features");
    step.out = config.size("out_features");
    step.bias = config.flag("bias", true);
    step.activation = readTorchActivation(config, "activation_function", "torch.nn.modules.activation.Tanh");
    step.residual = config.flag("use_residual");
  }
  if (step.kind == Step::LayerNorm)
    step.in = step.out = config.size("dimension");
  for (StringRef field : {"module_input_name", "module_output_name"})
    if (StringRef name = config.has(field) ? config.string(field, "") : "sentence_embedding";
        name != "sentence_embedding")
      config.refuse(field) << "'" << name << "' is not supported, only sentence_embedding";
  config.refuseUnread();
  return failure(config.failed());
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
      return emitError(loc) << "expected objects with the strings type and path";
    StringRef name = type->rsplit('.').second.empty() ? *type : type->rsplit('.').second;
    if (name == "Transformer") {
      if (!folder->empty())
        return emitError(loc) << "expected the Transformer module in the directory of modules.json, found it in '"
                              << *folder << "'";
    } else if (name == "Pooling" && !result.pooling) {
      FailureOr<SentencePooling> pooling =
          SentencePooling::read(context, joinPath(joinPath(directory, *folder), "config.json"));
      if (failed(pooling))
        return failure();
      result.pooling = std::move(*pooling);
    } else if (std::optional<Step::Kind> kind = kindOf(name); kind && result.pooling) {
      Step &step = result.steps.emplace_back();
      step.kind = *kind;
      step.name = folder->str();
      step.folder = joinPath(directory, *folder);
      if (failed(readStep(context, step)))
        return failure();
    } else if (name != "Dropout") {
      return emitError(loc) << "module " << *type << " is not supported, only Transformer, then Pooling, then Dense, "
                            << "Dropout, LayerNorm and Normalize";
    }
  }
  return result;
}

LogicalResult SentenceModules::check(Location loc, int64_t hidden) const {
  if (pooling->width != hidden)
    return emitError(loc) << "modules.json: the input of the pooling has " << pooling->width
                          << " elements, but the encoder computes " << hidden;
  int64_t width = pooling->getOutWidth();
  for (const Step &step : steps) {
    if (step.kind == Step::Normalize)
      continue;
    if (step.in != width)
      return emitError(loc) << "modules.json: the input of " << step.name << " has " << step.in
                            << " elements, but the module before it computes " << width;
    width = step.out;
  }
  return success();
}

LogicalResult SentenceModules::readWeights(MLIRContext &context, DirectoryCheckpoint &checkpoint) const {
  for (const Step &step : steps)
    if (step.kind != Step::Normalize &&
        failed(checkpoint.add(context, {joinPath(step.folder, "model.safetensors"), step.prefix()})))
      return failure();
  return success();
}

Value SentenceModules::build(Layers &layers, Value hidden, Value mask) const {
  layers.enter("sentence_embedding");
  Value rows = pooling->build(layers.main, hidden, mask);
  for (const Step &step : steps) {
    if (step.kind == Step::Normalize) {
      rows = normalizeRows(layers.main, rows);
    } else if (step.kind == Step::LayerNorm) {
      rows = layers.layerNorm(rows, step.prefix() + "norm", /*epsilon=*/1e-5); // the default of torch.nn.LayerNorm
    } else {
      Value residual;
      if (step.residual)
        residual =
            step.in == step.out ? rows : layers.linear(rows, {step.prefix() + "residual", step.out, /*bias=*/false});
      rows = layers.linear(rows, {step.prefix() + "linear", step.out, step.bias}, residual, step.activation);
    }
  }
  return rows;
}
