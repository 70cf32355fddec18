//===- Counters.cpp - counts that GPU profilers also report ---------------===//

#include "Counters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace heddle;
using namespace heddle::ptx;

namespace {
/// The indices of the pieces of memory, of `unit` bytes each, that the lanes of an access touch.
class Pieces {
public:
  explicit Pieces(unsigned unit) : unit(unit) {}

  void add(uint64_t address, unsigned bytes) {
    for (uint64_t piece = address / unit; piece <= (address + bytes - 1) / unit; ++piece) {
      if (!numbers.empty() && numbers.back() == piece)
        continue;
      ascending &= numbers.empty() || numbers.back() < piece;
      numbers.push_back(piece);
    }
  }
  /// Returns the indices in ascending order, without duplicates.
  llvm::ArrayRef<uint64_t> take() {
    if (!ascending) { // The addresses of lanes are usually in ascending order, so sorting is rarely necessary.
      llvm::sort(numbers);
      numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    }
    return numbers;
  }

private:
  unsigned unit;
  bool ascending = true;
  llvm::SmallVector<uint64_t, 128> numbers;
};
} // namespace

unsigned heddle::ptx::wavefronts(const uint64_t *addresses, Lanes lanes, unsigned bytes) {
  constexpr unsigned banks = 32, word = 4;
  // `atOnce` is the number of lanes that the hardware serves together.
  unsigned atOnce = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8, steps = 0;
  for (unsigned first = 0; first < warpSize; first += atOnce) {
    Pieces words(word);
    for (unsigned lane = first; lane < first + atOnce; ++lane)
      if (lanes >> lane & 1)
        words.add(addresses[lane], bytes);
    unsigned counts[banks] = {}, maximum = 0;
    for (uint64_t place : words.take())
      maximum = std::max(maximum, ++counts[place % banks]);
    steps += maximum;
  }
  return steps;
}

unsigned heddle::ptx::sectors(const uint64_t *addresses, Lanes lanes, unsigned bytes) {
  Pieces touched(32);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (lanes >> lane & 1)
      touched.add(addresses[lane], bytes);
  return unsigned(touched.take().size());
}

void Counters::countShared(const uint64_t *addresses, Lanes lanes, unsigned bytes) {
  ++sharedRequests;
  sharedWavefronts += wavefronts(addresses, lanes, bytes);
}

void Counters::countGlobal(const uint64_t *addresses, Lanes lanes, unsigned bytes) {
  ++globalRequests;
  globalSectors += sectors(addresses, lanes, bytes);
}

LaunchCounts &heddle::LaunchCounts::operator+=(const LaunchCounts &other) {
  instructions += other.instructions;
  barriers += other.barriers;
  sharedRequests += other.sharedRequests;
  sharedWavefronts += other.sharedWavefronts;
  globalRequests += other.globalRequests;
  globalSectors += other.globalSectors;
  return *this;
}
