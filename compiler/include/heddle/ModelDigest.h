//===- ModelDigest.h - what tells models apart ------------------*- C++ -*-===//

#ifndef HEDDLE_MODELDIGEST_H
#define HEDDLE_MODELDIGEST_H

#include "heddle/WeightStore.h"

namespace heddle {

/// A hash of what a model says, piece by piece.
class ModelDigest {
public:
  void add(llvm::StringRef text);
  /// Names, types and bytes of all tensors, in whatever order the store has them. Pages of mapped files are given back.
  void add(const WeightStore &weights);

  uint64_t get() const;

private:
  std::string pieces; // a hash of each
};

} // namespace heddle

#endif // HEDDLE_MODELDIGEST_H
