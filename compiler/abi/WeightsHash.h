//===- WeightsHash.h - what tells blocks of weights apart -------*- C++ -*-===//

#ifndef HEDDLE_ABI_WEIGHTSHASH_H
#define HEDDLE_ABI_WEIGHTSHASH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace heddle {

/// Hash of a block of weights, as generated code computes it (EntryInit.cpp). The block comes in pieces of any size, is
/// a multiple of 64 bytes and not empty.
class WeightsHash {
public:
  // Four sums side by side, so that one does not wait for another.
  static constexpr unsigned lanes = 4;
  static constexpr uint64_t multiplier = 0x9e3779b97f4a7c15;

  void add(llvm::ArrayRef<char> bytes);
  uint64_t get() const;

private:
  static constexpr size_t step = 8 * lanes;

  void mix(const char *data);

  uint64_t sums[lanes] = {1, 2, 3, 4};
  llvm::SmallVector<char, step> rest; // fewer bytes than a step, until there are more
};

} // namespace heddle

#endif // HEDDLE_ABI_WEIGHTSHASH_H
