//===- GgufConfig.h - metadata as the fields of a config.json ---*- C++ -*-===//

#ifndef HEDDLE_IMPORT_GGUF_GGUFCONFIG_H
#define HEDDLE_IMPORT_GGUF_GGUFCONFIG_H

#include "Architecture.h"
#include "GgufShards.h"

#include <set>

namespace heddle {

/// Expresses the metadata of a model by the fields of config.json that its family reads, so that a family has one
/// reader. A key that no field expresses may change the results of the model and is an error.
class GgufConfig {
public:
  GgufConfig(const GgufShards &shards, const GgufArchitecture &architecture);

  /// Sets all fields. Emits errors for keys that are missing, unknown, or have unsupported values.
  mlir::LogicalResult read();

  /// The fields of config.json, and for each field the key of the file or the name of the tensor from which it is read.
  llvm::json::Object fields;
  llvm::StringMap<std::string> origins;
  /// The names of the tensors whose elements are among the fields.
  std::set<std::string> tensors;
  /// The kind of pooling by its name in sentence-transformers; empty if the model does not pool.
  std::string pooling;

  // The remaining functions are for GgufArchitecture::complete. Keys lack the name of the architecture before them.

  /// Sets a field that is computed from the value of `key`, or from no key if `key` is empty.
  void set(llvm::StringRef field, llvm::json::Value value, llvm::StringRef key = "");
  /// Sets a field to the value of a key if the file has the key. Emits an error if a required key is missing.
  void take(const GgufKeyField &keyField);
  bool hasTensor(llvm::StringRef name) const { return shards.find(name); }
  /// Returns the value of a key, or `fallback` if the file does not have the key. Emits an error if the value is not a
  /// number.
  double number(llvm::StringRef key, double fallback);
  /// Returns a field as an integer; 0 if it is not set or is not an integer.
  int64_t integer(llvm::StringRef field) const { return fields.getInteger(field).value_or(0); }
  /// Sets the fields of a decoder with rotary embeddings, also the numbers and the size of its heads.
  void setHeads();
  /// Sets the fields of a decoder that do not correspond to single keys.
  void setDecoder();
  /// Sets the fields of an encoder that do not correspond to single keys.
  void setEncoder();
  /// Sets the parameters of rotary embeddings. If `windowBase` is not empty, it is the key of the base of frequencies
  /// in layers with windows, which have parameters of their own and no scaling.
  void setRotary(llvm::StringRef windowBase = "");

private:
  /// Begins an error about a key.
  mlir::InFlightDiagnostic refuse(llvm::StringRef key);
  /// Returns the key with the name of the architecture before it.
  std::string fullKey(llvm::StringRef key) const { return (architecture.name + "." + key).str(); }
  /// Returns the value of a key; null if the file does not have the key. If the value is an array of equal elements,
  /// one for each layer, returns this element. Emits an error for any other array.
  llvm::json::Value scalar(llvm::StringRef key);
  /// Emits an error if the file has the key and its value differs from `expected`.
  void expect(llvm::StringRef key, const llvm::json::Value &expected);
  void setVocabulary();
  /// Returns the number of the key `base`, the base of frequencies, and notes that `field` comes from this key.
  double rotaryBase(llvm::StringRef base, const std::string &field);
  /// Adds the scaling of rotary embeddings that the keys rope.scaling.* describe to their parameters, which the field
  /// `field` will contain.
  void addScaling(llvm::json::Object &parameters, const std::string &field);
  /// Returns whether the file has a tensor with factors by which frequencies are divided.
  bool hasFactors() const {
    return llvm::any_of(llvm::ArrayRef{architecture.shortFactors, architecture.longFactors},
                        [&](llvm::StringRef name) { return !name.empty() && hasTensor(name); });
  }
  /// If the file has such factors, adds them to the parameters of rotary embeddings, as addScaling() does.
  void addFactors(llvm::json::Object &parameters, const std::string &field);
  void refuseUnread();

  const GgufShards &shards;
  const GgufArchitecture &architecture;
  std::set<std::string> known; // the full names of the keys that were read
  bool bad = false;            // whether an error was emitted
};

} // namespace heddle

#endif // HEDDLE_IMPORT_GGUF_GGUFCONFIG_H
