//===- CpuLimits.cpp - numbers that depend on the CPU ---------------------===//

#include "CpuLimits.h"

using namespace heddle;

namespace {
struct Known {
  llvm::StringRef cpu;
  int64_t rows512, rows256; // fewest rows by the width of vectors
  int64_t cache, pastCache;
  int64_t l2Kib;
};
} // namespace

// Whether asking ahead pays is a matter of how much a core multiplies while a line comes: a line of weights is used once
// by every row. Measured where weights come from memory (43 MB, layers of 384 x 1536).
static constexpr Known known[] = {
    // 64-byte lines come at 15 to 20 GB/s, asked for or not: 24 rows win 5%, 16 lose 6%, 8 lose 40%. AVX2: 16 win 25%.
    // So many come into the first cache at once; into the second one, for a past, 27 GB/s.
    {"znver4", 17, 7, 1, 2, 1024},
    // Up to 42 GB/s: 4 rows win 23%, 8 and 16 win 40%, 32 win 30%, 64 win 19%; 2 lose 2%, one loses 18%. As much into
    // the second cache, but 4% less with 16 rows. AVX2: 2 rows win 40%, 4 win 60%, 8 win 80%.
    {"znver5", 4, 2, 1, 1, 1024},
    // 36 GB/s asked for, 14 otherwise; the second cache is ahead of the first by up to 6% with few rows.
    {"sapphirerapids", 8, 7, 2, 1, 2048},
    {"emeraldrapids", 8, 7, 2, 1, 2048},
};
static constexpr Known others = {"", 16, 7, 1, 1, 1024};

// What a panel may take of the second-level cache. More was measured to lose with 1 MiB, and is taken to with other sizes.
static constexpr double panelShare = 0.625;

std::map<std::string, int64_t> heddle::getCpuLimits(llvm::StringRef cpu, VectorRegisters vectors) {
  Known found = others;
  for (const Known &candidate : known)
    if (candidate.cpu == cpu)
      found = candidate;
  return {{"vector_bits", vectors.bits},
          {"vector_registers", vectors.count},
          {"l2_kib", found.l2Kib},
          {"prefetch_rows", vectors.bits >= 512 ? found.rows512 : found.rows256},
          {"prefetch_cache", found.cache},
          {"past_cache", found.pastCache},
          {"panel_kib", int64_t(found.l2Kib * panelShare)}};
}
