//===- TokenModel.h - from a family to a module -----------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_TOKENMODEL_H
#define HEDDLE_IMPORT_HUGGINGFACE_TOKENMODEL_H

#include "heddle/Import.h"

#include "Family.h"

namespace heddle {

/// Imports the model in `directory`, of which `config` is config.json and `entry` the family.
mlir::FailureOr<Model> importTokenModel(Config &config, const FamilyEntry &entry, llvm::StringRef directory,
                                        const ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_TOKENMODEL_H
