//===- Activations.h - activations by transformers' names -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_ACTIVATIONS_H
#define HEDDLE_IMPORT_HUGGINGFACE_ACTIVATIONS_H

#include "Config.h"
#include "Heddle.h"

namespace heddle {

/// Reads an activation from `field`, which contains one of the names in transformers.activations; `fallback` is the
/// name if the field is missing. An unknown name is refused.
Activation readActivation(Config &config, llvm::StringRef field, llvm::StringRef fallback);

/// Reads an activation from a field with the full name of a class of torch.nn, as in files of sentence-transformers.
Activation readTorchActivation(Config &config, llvm::StringRef field, llvm::StringRef fallback);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_ACTIVATIONS_H
