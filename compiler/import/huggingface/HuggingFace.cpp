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
      return importTokenModel(config, entry, directory, options);
    known += (known.empty() ? "" : ", ") + entry.modelType.str();
  }
  return config.refuse("model_type") << "'" << family << "' is not supported, only " << known;
}
