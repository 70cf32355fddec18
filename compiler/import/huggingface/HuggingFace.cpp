//===- HuggingFace.cpp - imports Hugging Face directories -----------------===//

#include "HuggingFace.h"

#include "heddle/Json.h"

#include "CommonFields.h"
#include "Families.h"
#include "TokenModel.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;

/// Returns whether the checkpoint was saved from a model with a head. In such a checkpoint, all names except those of
/// the head have the prefix.
static bool hasPrefix(const DirectoryCheckpoint &checkpoint, StringRef prefix) {
  return llvm::any_of(checkpoint.store.names(), [&](StringRef name) { return name.starts_with(prefix); });
}

/// Imports the model in `directory`, whose family `entry` describes.
static FailureOr<heddle::Model> importFamily(Config &config, const FamilyEntry &entry, StringRef directory,
                                             const ImportTask &options) {
  MLIRContext &context = *config.getLoc().getContext();
  FailureOr<SentenceModules> sentence = SentenceModules::read(context, directory);
  if (failed(sentence))
    return failure();
  std::optional<Quantization> quantization = readQuantization(config);
  auto open = [&]() -> FailureOr<std::unique_ptr<Checkpoint>> {
    FailureOr<std::unique_ptr<DirectoryCheckpoint>> read = DirectoryCheckpoint::read(context, directory);
    if (failed(read) || failed(sentence->readWeights(context, **read)))
      return failure();
    std::unique_ptr<DirectoryCheckpoint> checkpoint = std::move(*read);
    if (hasPrefix(*checkpoint, entry.prefix))
      checkpoint->prefix = entry.prefix;
    checkpoint->quantization = quantization;
    return std::unique_ptr<Checkpoint>(std::move(checkpoint));
  };
  return importTokenModel(config, entry, *sentence, open, options);
}

FailureOr<heddle::Model> heddle::importHuggingFace(MLIRContext &context, StringRef directory,
                                                   const ImportTask &options) {
  SmallString<128> path(directory);
  llvm::sys::path::append(path, "config.json");
  if (!llvm::sys::fs::exists(path))
    return emitError(FileLineColLoc::get(&context, directory, 0, 0))
           << "expected a Hugging Face model, but the directory has no config.json";
  FailureOr<llvm::json::Object> object = readJsonObject(context, path);
  if (failed(object))
    return failure();
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  Config config(loc, *object);
  StringRef family = config.string("model_type", "");
  if (config.failed())
    return failure();
  readCommonFields(config);
  std::string known;
  for (const FamilyEntry &entry : getFamilies()) {
    if (entry.modelType == family)
      return importFamily(config, entry, directory, options);
    known += (known.empty() ? "" : ", ") + entry.modelType.str();
  }
  return config.refuse("model_type") << "'" << family << "' is not supported, only " << known;
}
