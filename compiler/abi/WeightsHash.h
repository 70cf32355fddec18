//===- WeightsHash.h - the hash of a block of weights -----------*- C++ -*-===//

#ifndef HEDDLE_ABI_WEIGHTSHASH_H
#define HEDDLE_ABI_WEIGHTSHASH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace heddle {

/// Computes the hash of a block of weights. Generated code computes the same hash (EntryInit.cpp). The caller adds the
/// block in pieces of any size. The size of the whole block must be a positive multiple of 32 bytes.
class WeightsHash {
public:
  // The four independent sums allow the CPU to overlap multiplications.
  static constexpr unsigned lanes = 4;
  static constexpr uint64_t multiplier = 0x9e3779b97f4a7c15;

  /// Adds the next bytes of the block.
  void add(llvm::ArrayRef<char> bytes);
  /// Returns the hash of all bytes that were added.
  uint64_t get() const;

private:
  static constexpr size_t step = 8 * lanes;

  /// Adds the bytes of one step. Each of the sums receives 8 of them.
  void mix(const char *data);

  uint64_t sums[lanes] = {1, 2, 3, 4};
  llvm::SmallVector<char, step> rest; // bytes that are not yet a full step
};

} // namespace heddle

#endif // HEDDLE_ABI_WEIGHTSHASH_H
