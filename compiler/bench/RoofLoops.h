//===- RoofLoops.h - loops that measure the roofs of the CPU ----*- C++ -*-===//

#ifndef HEDDLE_BENCH_ROOFLOOPS_H
#define HEDDLE_BENCH_ROOFLOOPS_H

#include <cstddef>

namespace heddle::bench {

/// The loops for one width of vector registers.
struct RoofLoops {
  const char *name; // such as "AVX-512"
  size_t lanes;     // the number of floats in a vector
  /// Runs fmaChains x `steps` multiply-adds of vectors without memory accesses: `steps` in each of fmaChains
  /// independent chains. Each multiply-add of a chain uses the result of the previous one.
  void (*fma)(size_t steps);
  size_t fmaChains; // the number of chains
  /// Copies `count` floats, which must be a multiple of roofBlock. Pointers must be aligned to 64 bytes.
  void (*copy)(float *to, const float *from, size_t count);
  /// Copies like `copy`, but with nontemporal stores, which do not read the cache lines that they overwrite.
  void (*stream)(float *to, const float *from, size_t count);
  /// Reads `count` floats, under the same conditions as `copy`.
  void (*read)(const float *from, size_t count);
};

constexpr size_t roofBlock = 128; // the unit of `count`, in floats

/// Returns the widest loops that these features of the CPU allow.
const RoofLoops &roofLoops(bool avx512, bool avx2);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_ROOFLOOPS_H
