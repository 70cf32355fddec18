//===- RoofLoops.h - loops that do nothing but one thing --------*- C++ -*-===//

#ifndef HEDDLE_BENCH_ROOFLOOPS_H
#define HEDDLE_BENCH_ROOFLOOPS_H

#include <cstddef>

namespace heddle::bench {

/// Loops for one kind of vector registers.
struct RoofLoops {
  const char *name; // "AVX-512"
  size_t lanes;     // floats in a vector
  /// fmaChains x `steps` multiply-adds of a vector: no memory, no chain waits for another.
  void (*fma)(size_t steps);
  size_t fmaChains;
  /// `count` floats, a multiple of roofBlock; pointers are aligned to 64 bytes.
  void (*copy)(float *to, const float *from, size_t count);
  /// Past the caches: the stores do not read what they overwrite.
  void (*stream)(float *to, const float *from, size_t count);
  void (*read)(const float *from, size_t count);
};

constexpr size_t roofBlock = 128;

/// The widest loops that code for these features ("... +avx512f ...") may use.
const RoofLoops &roofLoops(bool avx512, bool avx2);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_ROOFLOOPS_H
