//===- Architecture.h - the architectures of GGUF files ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_GGUF_ARCHITECTURE_H
#define HEDDLE_IMPORT_GGUF_ARCHITECTURE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

class GgufConfig;

/// The name of a tensor in the checkpoint of a family (../huggingface) without the family's prefix, and its name in a
/// GGUF file. Both lack the last part, `.weight` or `.bias`. N stands for the index of a layer.
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
  /// Lists of the names of tensors, and of the keys. Architectures share some of the lists.
  llvm::ArrayRef<llvm::ArrayRef<GgufTensorName>> tensors;
  llvm::ArrayRef<llvm::ArrayRef<GgufKeyField>> keys;
  /// Sets the fields that do not correspond to single keys.
  void (*complete)(GgufConfig &config) = nullptr;
  /// Whether the rows of queries and keys are stored in the order of llama's original implementation, in which element
  /// 2 i of a head is paired with element 2 i + 1. The families pair element i with element i + size / 2.
  bool pairsAreAdjacent = false;
  /// The tensors with factors by which the frequencies of rotary embeddings are divided in short and in long sequences.
  /// A model may lack them; the names are empty if no model has such factors.
  llvm::StringRef shortFactors = {}, longFactors = {};
  /// Whether a model may rotate only the first elements of each head.
  bool hasPartialRotation = false;
};

/// Returns the supported architectures, sorted by name.
llvm::ArrayRef<GgufArchitecture> getGgufArchitectures();

} // namespace heddle

#endif // HEDDLE_IMPORT_GGUF_ARCHITECTURE_H
