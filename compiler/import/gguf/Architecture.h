//===- Architecture.h - the architectures of GGUF files ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_GGUF_ARCHITECTURE_H
#define HEDDLE_IMPORT_GGUF_ARCHITECTURE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

class GgufConfig;

/// The name of a tensor in the checkpoint of a family (../huggingface), and its name in a GGUF file. Both lack the last
/// part, `.weight` or `.bias`. N stands for the index of a layer.
struct GgufTensorName {
  llvm::StringRef family, file;
};

/// A key of the metadata, without the name of the architecture before it, and the field of config.json that has the
/// same meaning.
struct GgufKeyField {
  llvm::StringRef key, field;
  bool isRequired = false;
};

/// An architecture of llama.cpp: the value of the key general.architecture. Its models are those of a family of
/// ../huggingface.
struct GgufArchitecture {
  llvm::StringRef name;
  llvm::StringRef modelType; // the field model_type of the family
  /// The names of tensors, and the keys, that the architecture has in addition to those that all architectures share.
  llvm::ArrayRef<GgufTensorName> tensors = {};
  llvm::ArrayRef<GgufKeyField> keys = {};
  /// Sets the fields that do not correspond to single keys.
  void (*complete)(GgufConfig &config) = nullptr;
  /// Whether the rows of queries and keys are stored in the order of llama's original implementation, in which element
  /// 2 i of a head is paired with element 2 i + 1. The families pair element i with element i + size / 2.
  bool pairsAreAdjacent = false;
  /// Whether the tensor rope_freqs may contain factors by which the frequencies of rotary embeddings are divided.
  bool hasRotaryFactors = false;
};

/// Returns the supported architectures, sorted by name.
llvm::ArrayRef<GgufArchitecture> getGgufArchitectures();

/// Returns the names of tensors, and the keys, that all architectures share.
llvm::ArrayRef<GgufTensorName> getSharedGgufTensors();
llvm::ArrayRef<GgufKeyField> getSharedGgufKeys();

} // namespace heddle

#endif // HEDDLE_IMPORT_GGUF_ARCHITECTURE_H
