//===- TokenModel.h - builds a module from a family -------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_TOKENMODEL_H
#define HEDDLE_IMPORT_HUGGINGFACE_TOKENMODEL_H

#include "../sizes/ImportTask.h"

#include "Family.h"
#include "SentenceModules.h"

namespace heddle {

/// Opens the checkpoint of a model. Emits errors.
using OpenCheckpoint = llvm::function_ref<mlir::FailureOr<std::unique_ptr<Checkpoint>>()>;

/// Imports a model that computes on token ids. `config` is its configuration, `entry` describes its family, and
/// `sentence` contains the modules of sentence-transformers that follow the encoder, if there are any. The checkpoint
/// is opened only if the configuration has no errors. Emits errors.
mlir::FailureOr<Model> importTokenModel(Config &config, const FamilyEntry &entry, const SentenceModules &sentence,
                                        OpenCheckpoint open, const ImportTask &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_TOKENMODEL_H
