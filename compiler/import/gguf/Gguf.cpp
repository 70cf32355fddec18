//===- Gguf.cpp - imports GGUF files --------------------------------------===//

#include "Gguf.h"

#include "../huggingface/Families.h"
#include "../huggingface/TokenModel.h"
#include "GgufCheckpoint.h"
#include "GgufConfig.h"

using namespace mlir;
using namespace heddle;

/// Returns the architecture that the file names. Emits an error if it is not supported, or if the file contains
/// something other than a model, such as an adapter.
static const GgufArchitecture *findArchitecture(const GgufFile &file) {
  constexpr StringRef typeKey = "general.type", nameKey = "general.architecture";
  llvm::json::Value type = file.get(typeKey), found = file.get(nameKey);
  if (StringRef kind = type.getAsString().value_or("model"); kind != "model") {
    emitError(file.getLoc()) << typeKey << ": '" << kind << "' is not supported, only model";
    return nullptr;
  }
  std::optional<StringRef> name = found.getAsString();
  if (!name) {
    emitError(file.getLoc()) << nameKey << ": expected a string"
                             << (file.find(nameKey) ? "" : ", but the key is missing");
    return nullptr;
  }
  std::string known;
  for (const GgufArchitecture &architecture : getGgufArchitectures()) {
    if (architecture.name == *name)
      return &architecture;
    known += (known.empty() ? "" : ", ") + architecture.name.str();
  }
  emitError(file.getLoc()) << nameKey << ": '" << *name << "' is not supported, only " << known;
  return nullptr;
}

FailureOr<heddle::Model> heddle::importGguf(MLIRContext &context, StringRef path, const ImportTask &options) {
  FailureOr<GgufShards> shards = GgufShards::read(context, path);
  if (failed(shards))
    return failure();
  const GgufArchitecture *architecture = findArchitecture(shards->first());
  if (!architecture)
    return failure();
  GgufConfig read(*shards, *architecture);
  if (failed(read.read()))
    return failure();
  const FamilyEntry *entry = llvm::find_if(
      getFamilies(), [&](const FamilyEntry &entry) { return entry.modelType == architecture->modelType; });
  for (const auto &[name, head] : entry->architectures)
    if (head == Head::CausalLM)
      read.fields["architectures"] = llvm::json::Array{name};
  Config config(shards->first().getLoc(), read.fields, &read.origins);
  config.string("model_type", "");
  auto open = [&] { return GgufCheckpoint::open(*shards, *architecture, read, entry->prefix); };
  SentenceModules modules;
  if (!read.pooling.empty())
    modules = SentenceModules(SentencePooling(read.pooling, read.integer("hidden_size")));
  return importTokenModel(config, *entry, modules, open, options);
}
