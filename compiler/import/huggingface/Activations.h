//===- Activations.h - activations by transformers' names -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_ACTIVATIONS_H
#define HEDDLE_IMPORT_HUGGINGFACE_ACTIVATIONS_H

#include "Config.h"
#include "Heddle.h"

namespace heddle {

/// Reads the activation that `field` names as transformers.activations does; `fallback` is its name if the field is
/// missing. An unknown name is refused.
Activation readActivation(Config &config, llvm::StringRef field, llvm::StringRef fallback);

/// Does the same for a field with the full name of a class of torch.nn, as in files of sentence-transformers.
Activation readTorchActivation(Config &config, llvm::StringRef field, llvm::StringRef fallback);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_ACTIVATIONS_H
