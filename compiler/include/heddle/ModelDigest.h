//===- ModelDigest.h - a hash that identifies a model -----------*- C++ -*-===//

#ifndef HEDDLE_MODELDIGEST_H
#define HEDDLE_MODELDIGEST_H

#include "heddle/WeightStore.h"

namespace heddle {

/// Computes a hash of the content of a model, which is added piece by piece.
class ModelDigest {
public:
  void add(llvm::StringRef text);
  /// Adds the names, types and bytes of all tensors, independent of their order in the store. Releases pages of mapped
  /// files.
  void add(const WeightStore &weights);

  uint64_t get() const;

private:
  std::string pieces; // the hashes of all pieces, one after the other
};

} // namespace heddle

#endif // HEDDLE_MODELDIGEST_H
