//===- Activations.h - activations by transformers' names -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_ACTIVATIONS_H
#define HEDDLE_IMPORT_HUGGINGFACE_ACTIVATIONS_H

#include "Config.h"
#include "Heddle.h"

namespace heddle {

/// The activation that `field` names, as in transformers.activations, `fallback` if it is missing. A name
/// that is not known is refused.
Activation readActivation(Config &config, llvm::StringRef field, llvm::StringRef fallback);

/// As above, of a class of torch.nn by its full name, as sentence-transformers has it.
Activation readTorchActivation(Config &config, llvm::StringRef field, llvm::StringRef fallback);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_ACTIVATIONS_H
