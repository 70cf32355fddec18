//===- Counters.cpp - what a GPU's profiler counts as well ----------------===//

#include "Counters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace heddle;
using namespace heddle::ptx;

/// Appends the numbers of the pieces of `unit` bytes that an access touches, each once.
static void addPieces(llvm::SmallVectorImpl<uint64_t> &pieces, uint64_t address, unsigned bytes, unsigned unit) {
  for (uint64_t piece = address / unit; piece <= (address + bytes - 1) / unit; ++piece)
    pieces.push_back(piece);
}

static void makeUnique(llvm::SmallVectorImpl<uint64_t> &pieces) {
  llvm::sort(pieces);
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
}

unsigned heddle::ptx::wavefronts(const uint64_t *addresses, Lanes lanes, unsigned bytes) {
  constexpr unsigned banks = 32, word = 4;
  unsigned atOnce = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8, steps = 0;
  for (unsigned first = 0; first < warpSize; first += atOnce) {
    llvm::SmallVector<uint64_t, 64> words;
    for (unsigned lane = first; lane < first + atOnce; ++lane)
      if (lanes >> lane & 1)
        addPieces(words, addresses[lane], bytes, word);
    makeUnique(words);
    unsigned counts[banks] = {}, most = 0;
    for (uint64_t place : words)
      most = std::max(most, ++counts[place % banks]);
    steps += most;
  }
  return steps;
}

unsigned heddle::ptx::sectors(const uint64_t *addresses, Lanes lanes, unsigned bytes) {
  llvm::SmallVector<uint64_t, 64> touched;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (lanes >> lane & 1)
      addPieces(touched, addresses[lane], bytes, 32);
  makeUnique(touched);
  return unsigned(touched.size());
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
