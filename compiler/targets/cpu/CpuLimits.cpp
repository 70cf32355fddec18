//===- CpuLimits.cpp - measured facts of CPUs -----------------------------===//

#include "CpuLimits.h"

using namespace heddle;

namespace {
struct Known {
  llvm::StringRef cpu;
  int64_t rows512, rows256; // the minimum number of rows for prefetching, with vectors of 512 and of 256 bits
  int64_t cache, pastCache; // the levels of cache (1 to 3) for prefetches of weights and of a long past
  int64_t l2Kib;
};
} // namespace

// Prefetching a panel of weights pays off if a core multiplies enough numbers while it waits for a cache line from
// memory, that is, if the layer has enough rows: the core uses each line once for every row. The numbers were measured
// with weights that are not in the caches (43 MB, layers of 384 x 1536). Percentages refer to the time of the layer.
static constexpr Known known[] = {
    // A core reads 15 to 20 GB/s from memory, with or without prefetches into the first-level cache, which cannot wait
    // for more lines at a time. Prefetching saves 5% of the time with 24 rows, and costs 6% with 16 rows and 40% with 8
    // rows. With AVX2, prefetching saves 25% with 16 rows. With prefetches into the second-level cache, which are used
    // for the keys and values of a past, a core reads 27 GB/s.
    {"znver4", 17, 7, 1, 2, 1024},
    // A core reads up to 42 GB/s from memory. Prefetching saves 23% of the time with 4 rows, 40% with 8 and 16 rows,
    // 30% with 32 rows and 19% with 64 rows; it costs 2% with 2 rows and 18% with one row. Prefetching into the
    // second-level cache saves as much, but 4% less with 16 rows. With AVX2, prefetching saves 40% with 2 rows, 60%
    // with 4 rows and 80% with 8 rows.
    {"znver5", 4, 2, 1, 1, 1024},
    // A core reads 36 GB/s from memory with prefetches, and 14 GB/s without prefetches. With few rows, prefetching into
    // the second-level cache is up to 6% faster than prefetching into the first-level cache.
    {"sapphirerapids", 8, 7, 2, 1, 2048},
    {"emeraldrapids", 8, 7, 2, 1, 2048},
};
static constexpr Known others = {"", 16, 7, 1, 1, 1024};

// The share of the second-level cache that a panel may take. A larger share was slower in measurements with 1 MiB;
// caches of other sizes were not measured.
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
