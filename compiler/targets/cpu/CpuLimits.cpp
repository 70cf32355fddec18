//===- CpuLimits.cpp - numbers that depend on the CPU ---------------------===//

#include "CpuLimits.h"

using namespace heddle;

namespace {
struct Known {
  llvm::StringRef cpu;
  int64_t rows512, rows256; // fewest rows by the width of vectors
  int64_t cache;
  int64_t panelKib;
};
} // namespace

// Whether asking ahead pays is a matter of how much a core multiplies while a line comes: a line of weights is used once
// by every row. Measured where weights come from memory (43 MB, layers of 384 x 1536). A panel may take three fifths of
// the second-level cache; more was measured to lose with 1 MiB, and is taken to with other sizes.
static constexpr Known known[] = {
    // 64-byte lines come at 15 to 20 GB/s, asked for or not: 24 rows win 5%, 16 lose 6%, 8 lose 40%. AVX2: 16 win 25%.
    {"znver4", 17, 7, 1, 640},
    // Up to 42 GB/s: 4 rows win 23%, 8 and 16 win 40%, 32 win 30%, 64 win 19%; 2 lose 2%, one loses 18%. As much into
    // the second cache, but 4% less with 16 rows. AVX2: 2 rows win 40%, 4 win 60%, 8 win 80%.
    {"znver5", 4, 2, 1, 640},
    // 36 GB/s asked for, 14 otherwise; the second cache is ahead of the first by up to 6% with few rows.
    {"sapphirerapids", 8, 7, 2, 1280},
    {"emeraldrapids", 8, 7, 2, 1280},
};
static constexpr Known others = {"", 16, 7, 1, 640};

std::map<std::string, int64_t> heddle::getCpuLimits(llvm::StringRef cpu, bool avx512) {
  Known found = others;
  for (const Known &candidate : known)
    if (candidate.cpu == cpu)
      found = candidate;
  return {{"prefetch_rows", avx512 ? found.rows512 : found.rows256},
          {"prefetch_cache", found.cache},
          {"panel_kib", found.panelKib}};
}
