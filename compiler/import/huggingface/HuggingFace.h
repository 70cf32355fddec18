//===- HuggingFace.h - imports Hugging Face directories ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_HUGGINGFACE_H
#define HEDDLE_IMPORT_HUGGINGFACE_HUGGINGFACE_H

#include "../sizes/ImportTask.h"

namespace heddle {

/// Imports a directory with config.json and model.safetensors, or with the shards that model.safetensors.index.json
/// lists. Emits errors.
mlir::FailureOr<Model> importHuggingFace(mlir::MLIRContext &context, llvm::StringRef directory,
                                         const ImportTask &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_HUGGINGFACE_H
