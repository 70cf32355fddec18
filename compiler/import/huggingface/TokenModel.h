//===- TokenModel.h - builds a module from a family -------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_TOKENMODEL_H
#define HEDDLE_IMPORT_HUGGINGFACE_TOKENMODEL_H

#include "../sizes/ImportTask.h"

#include "Family.h"

namespace heddle {

/// Imports the model in `directory`. The model computes on token ids. `config` is its config.json, and `entry`
/// describes its family. Emits errors.
mlir::FailureOr<Model> importTokenModel(Config &config, const FamilyEntry &entry, llvm::StringRef directory,
                                        const ImportTask &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_TOKENMODEL_H
