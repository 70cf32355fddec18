//===- Bert.h - encoders of type bert ---------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_BERT_H
#define HEDDLE_IMPORT_HUGGINGFACE_BERT_H

#include "heddle/Import.h"

#include "llvm/Support/JSON.h"

namespace heddle {

/// `config` is what `configLoc` (config.json in `directory`) holds.
mlir::FailureOr<Model> importBert(mlir::Location configLoc, const llvm::json::Object &config,
                                  llvm::StringRef directory, const ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_BERT_H
