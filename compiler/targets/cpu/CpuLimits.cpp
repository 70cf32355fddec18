//===- CpuLimits.cpp - measured facts of CPUs -----------------------------===//

#include "CpuLimits.h"

using namespace heddle;

namespace {
struct Known {
  llvm::StringRef cpu;
  int64_t rows512, rows256; // the minimum number of rows for prefetching, by vector width
  int64_t cache, pastCache;
  int64_t l2Kib;
};
} // namespace

// Whether prefetching a panel of weights pays off depends on how much a core multiplies while a cache line comes from
// memory: each line is used once by every row. Measured with weights that come from memory (43 MB, layers of 384 x
// 1536); percentages are of time.
static constexpr Known known[] = {
    // Cache lines of 64 bytes come at 15 to 20 GB/s, with or without prefetches: 24 rows win 5%, 16 rows lose 6%, 8
    // rows lose 40%. AVX2: 16 rows win 25%. The first-level cache cannot wait for more lines at a time; into the
    // second-level cache, for keys and values of a past, lines come at 27 GB/s.
    {"znver4", 17, 7, 1, 2, 1024},
    // Up to 42 GB/s: 4 rows win 23%, 8 and 16 rows win 40%, 32 rows win 30%, 64 rows win 19%; 2 rows lose 2%, one row
    // loses 18%. Prefetching into the second-level cache gains as much, but 4% less with 16 rows. AVX2: 2 rows win 40%,
    // 4 rows win 60%, 8 rows win 80%.
    {"znver5", 4, 2, 1, 1, 1024},
    // 36 GB/s with prefetches, 14 GB/s without. Prefetching into the second-level cache is up to 6% better than into
    // the first-level cache with few rows.
    {"sapphirerapids", 8, 7, 2, 1, 2048},
    {"emeraldrapids", 8, 7, 2, 1, 2048},
};
static constexpr Known others = {"", 16, 7, 1, 1, 1024};

// The share of the second-level cache that a panel may take. More was measured to lose with 1 MiB; other sizes are
// assumed to behave alike.
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
