//===- CpuLimits.cpp - measured facts of CPUs -----------------------------===//

#include "CpuLimits.h"

using namespace heddle;

namespace {
/// The facts about one CPU.
struct Known {
  llvm::StringRef cpu; // LLVM's name of the CPU
  /// A layer prefetches its weights if its input has at least this number of rows. `rows512` is for code with vectors
  /// of 512 bits, `rows256` for code with narrower vectors.
  int64_t rows512, rows256;
  /// The level of the cache (1 is the nearest to the core) into which weights are prefetched, and the level into which
  /// the keys and values of a long past are prefetched.
  int64_t cache, pastCache;
  int64_t l2Kib; // the size of the second-level cache of a core, in KiB
};
} // namespace

// Prefetching a panel of weights saves time if a core has enough multiplications to do while a cache line is on its way
// from memory. The core uses each line once for every row of the input, so prefetching needs a minimum number of rows.
// The numbers were measured with weights that are not in the caches (43 MB, layers of 384 x 1536). "Rows" are rows of
// the input, and percentages refer to the time of the layer.
static constexpr Known known[] = {
    // A core reads 15 to 20 GB/s from memory. Prefetches into the first-level cache do not increase this rate, because
    // the number of lines for which this cache can wait at a time is limited. Prefetching saves 5% of the time with 24
    // rows, and costs 6% with 16 rows and 40% with 8 rows. With AVX2, prefetching saves 25% with 16 rows. The keys and
    // values of a past are prefetched into the second-level cache, because a core then reads 27 GB/s.
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
// The values for CPUs that were not measured.
static constexpr Known others = {"", 16, 7, 1, 1, 1024};

// The share of the second-level cache that a panel may take. A larger share was slower on CPUs with a cache of 1 MiB;
// other sizes of the cache were not measured.
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
