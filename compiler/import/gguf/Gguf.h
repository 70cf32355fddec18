//===- Gguf.h - imports GGUF files ------------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_GGUF_GGUF_H
#define HEDDLE_IMPORT_GGUF_GGUF_H

#include "../sizes/ImportTask.h"

namespace heddle {

/// Imports a language model in the format of llama.cpp: a file, or the first of several shards. Emits errors.
mlir::FailureOr<Model> importGguf(mlir::MLIRContext &context, llvm::StringRef path, const ImportTask &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_GGUF_GGUF_H
