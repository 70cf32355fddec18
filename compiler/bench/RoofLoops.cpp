//===- RoofLoops.cpp - loops that measure the roofs of the CPU ------------===//

#include "RoofLoops.h"

#include <immintrin.h>

using namespace heddle::bench;

// These macros use a result, because the compiler would otherwise remove its computation. "x" is the constraint for
// registers of up to 256 bits, and "v" for registers of 512 bits.
#define HEDDLE_KEEP(value) asm volatile("" : : "x"(value))
#define HEDDLE_KEEP512(value) asm volatile("" : : "v"(value))

// The loops iterate x = factor * x + summand, which converges to 1, so x stays finite and does not become denormal.
static constexpr float factor = 0.5f, summand = 0.5f;

/// The initial value of a chain of multiply-adds, each of which uses the previous result. The value must not be a fixed
/// point of the iteration, because the compiler would then remove the chain, and the measured roof would be too high.
static constexpr float startOf(int chain) { return float(chain + 2); }
static_assert(startOf(0) > summand / (1 - factor), "no chain may start at the fixed point of the iteration");

// A multiply-add takes 4 or 5 cycles, and at most two multiply-adds start in each cycle. So 10 independent chains keep
// the CPU busy. More chains hide other delays, too. So the loops have 12 chains if there are 16 registers, and 16
// chains with AVX-512, which has 32 registers.

// The read loops read four streams at once, because the prefetcher then requests more cache lines at a time than for
// one stream.

//===----------------------------------------------------------------------===//

__attribute__((target("avx512f"))) static void fma512(size_t steps) {
  constexpr int chains = 16;
  __m512 sums[chains], a = _mm512_set1_ps(factor), b = _mm512_set1_ps(summand);
#pragma clang loop unroll(full)
  for (int i = 0; i < chains; ++i)
    sums[i] = _mm512_set1_ps(startOf(i));
  for (size_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < chains; ++i)
      sums[i] = _mm512_fmadd_ps(sums[i], a, b);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < chains; ++i)
    HEDDLE_KEEP512(sums[i]);
}

__attribute__((target("avx512f"))) static void copy512(float *to, const float *from, size_t count) {
#pragma clang loop unroll_count(8)
  for (size_t i = 0; i < count; i += 16)
    _mm512_store_ps(to + i, _mm512_load_ps(from + i));
}

__attribute__((target("avx512f"))) static void stream512(float *to, const float *from, size_t count) {
#pragma clang loop unroll_count(8)
  for (size_t i = 0; i < count; i += 16)
    _mm512_stream_ps(to + i, _mm512_load_ps(from + i));
  _mm_sfence();
}

__attribute__((target("avx512f"))) static void read512(const float *from, size_t count) {
  size_t part = count / 4;
#pragma clang loop unroll_count(4)
  for (size_t i = 0; i < part; i += 16) {
    HEDDLE_KEEP512(_mm512_load_ps(from + i));
    HEDDLE_KEEP512(_mm512_load_ps(from + part + i));
    HEDDLE_KEEP512(_mm512_load_ps(from + 2 * part + i));
    HEDDLE_KEEP512(_mm512_load_ps(from + 3 * part + i));
  }
}

//===----------------------------------------------------------------------===//

__attribute__((target("avx2,fma"))) static void fma256(size_t steps) {
  constexpr int chains = 12;
  __m256 sums[chains], a = _mm256_set1_ps(factor), b = _mm256_set1_ps(summand);
#pragma clang loop unroll(full)
  for (int i = 0; i < chains; ++i)
    sums[i] = _mm256_set1_ps(startOf(i));
  for (size_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < chains; ++i)
      sums[i] = _mm256_fmadd_ps(sums[i], a, b);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < chains; ++i)
    HEDDLE_KEEP(sums[i]);
}

__attribute__((target("avx2,fma"))) static void copy256(float *to, const float *from, size_t count) {
#pragma clang loop unroll_count(8)
  for (size_t i = 0; i < count; i += 8)
    _mm256_store_ps(to + i, _mm256_load_ps(from + i));
}

__attribute__((target("avx2,fma"))) static void stream256(float *to, const float *from, size_t count) {
#pragma clang loop unroll_count(8)
  for (size_t i = 0; i < count; i += 8)
    _mm256_stream_ps(to + i, _mm256_load_ps(from + i));
  _mm_sfence();
}

__attribute__((target("avx2,fma"))) static void read256(const float *from, size_t count) {
  size_t part = count / 4;
#pragma clang loop unroll_count(4)
  for (size_t i = 0; i < part; i += 8) {
    HEDDLE_KEEP(_mm256_load_ps(from + i));
    HEDDLE_KEEP(_mm256_load_ps(from + part + i));
    HEDDLE_KEEP(_mm256_load_ps(from + 2 * part + i));
    HEDDLE_KEEP(_mm256_load_ps(from + 3 * part + i));
  }
}

//===----------------------------------------------------------------------===//

// Without FMA, a multiply-add is a multiplication and an addition.
static void fma128(size_t steps) {
  constexpr int chains = 12;
  __m128 sums[chains], a = _mm_set1_ps(factor), b = _mm_set1_ps(summand);
#pragma clang loop unroll(full)
  for (int i = 0; i < chains; ++i)
    sums[i] = _mm_set1_ps(startOf(i));
  for (size_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < chains; ++i)
      sums[i] = _mm_add_ps(_mm_mul_ps(sums[i], a), b);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < chains; ++i)
    HEDDLE_KEEP(sums[i]);
}

static void copy128(float *to, const float *from, size_t count) {
#pragma clang loop unroll_count(8)
  for (size_t i = 0; i < count; i += 4)
    _mm_store_ps(to + i, _mm_load_ps(from + i));
}

static void stream128(float *to, const float *from, size_t count) {
#pragma clang loop unroll_count(8)
  for (size_t i = 0; i < count; i += 4)
    _mm_stream_ps(to + i, _mm_load_ps(from + i));
  _mm_sfence();
}

static void read128(const float *from, size_t count) {
  size_t part = count / 4;
#pragma clang loop unroll_count(4)
  for (size_t i = 0; i < part; i += 4) {
    HEDDLE_KEEP(_mm_load_ps(from + i));
    HEDDLE_KEEP(_mm_load_ps(from + part + i));
    HEDDLE_KEEP(_mm_load_ps(from + 2 * part + i));
    HEDDLE_KEEP(_mm_load_ps(from + 3 * part + i));
  }
}

const RoofLoops &heddle::bench::roofLoops(bool avx512, bool avx2) {
  static const RoofLoops wide{"AVX-512", 16, fma512, 16, copy512, stream512, read512};
  static const RoofLoops middle{"AVX2", 8, fma256, 12, copy256, stream256, read256};
  static const RoofLoops narrow{"SSE", 4, fma128, 12, copy128, stream128, read128};
  return avx512 ? wide : avx2 ? middle : narrow;
}
