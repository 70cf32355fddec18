//===- WeightsHash.cpp - the hash of a block of weights -------------------===//

#include "WeightsHash.h"

#include "llvm/Support/Endian.h"

using namespace heddle;

void WeightsHash::mix(const char *data) {
  for (unsigned lane = 0; lane < lanes; ++lane) {
    uint64_t mixed = (sums[lane] ^ llvm::support::endian::read64le(data + 8 * lane)) * multiplier;
    sums[lane] = mixed ^ (mixed >> 29);
  }
}

void WeightsHash::add(llvm::ArrayRef<char> bytes) {
  if (!rest.empty()) {
    llvm::ArrayRef<char> missing = bytes.take_front(step - rest.size());
    rest.append(missing.begin(), missing.end());
    bytes = bytes.drop_front(missing.size());
    if (rest.size() < step)
      return;
    mix(rest.data());
    rest.clear();
  }
  for (; bytes.size() >= step; bytes = bytes.drop_front(step))
    mix(bytes.data());
  rest.append(bytes.begin(), bytes.end());
}

uint64_t WeightsHash::get() const {
  assert(rest.empty() && "the size of the block must be a multiple of 32 bytes");
  uint64_t hash = 0;
  for (uint64_t sum : sums)
    hash = (hash ^ sum) * multiplier;
  return hash;
}
