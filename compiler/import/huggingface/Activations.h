//===- Activations.h - activations by transformers' names -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_ACTIVATIONS_H
#define HEDDLE_IMPORT_HUGGINGFACE_ACTIVATIONS_H

#include "Config.h"
#include "Heddle.h"

namespace heddle {

/// Reads an activation from `field`, which contains one of the names in the Python module transformers.activations. If
/// the field is missing, its value is `fallback`. Emits an error for a name that Heddle does not support.
Activation readActivation(Config &config, llvm::StringRef field, llvm::StringRef fallback);

/// Reads an activation from a field that contains the full name of a torch.nn class, such as
/// "torch.nn.modules.activation.Tanh", as in the files of sentence-transformers models.
Activation readTorchActivation(Config &config, llvm::StringRef field, llvm::StringRef fallback);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_ACTIVATIONS_H
