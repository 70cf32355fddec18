//===- Contraction.cpp - fast matrix product ------------------------------===//
//
// This part of the interpreter is optimized for the vectors and caches of CPUs. The C++ compiler vectorizes along the
// columns of a tile of the result, which does not change the order in which the terms of an element are added. Products
// and sums are not fused into multiply-adds.
//
//===----------------------------------------------------------------------===//

#include "interpreter/Contraction.h"

#include <algorithm>

#pragma STDC FP_CONTRACT OFF

namespace {

// The number of rows of a tile, and the number of terms that are added to a tile before the next tile is computed.
constexpr int64_t tileRows = 4, depth = 256;

/// Adds k terms to each sum in a tile of `rows` x `columns` elements of the result c. The tile stays in registers. a, b
/// and c point to the first elements of the tile's rows and columns; lda, ldb and ldc are the distances between rows.
template <typename Real, int64_t rows, int64_t columns>
[[gnu::always_inline]] inline void tile(int64_t k, const Real *a, int64_t lda, const Real *b, int64_t ldb, Real *c,
                                        int64_t ldc) {
  Real sum[rows][columns];
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      sum[i][j] = c[i * ldc + j];
  for (int64_t l = 0; l < k; ++l)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        sum[i][j] += a[i * lda + l] * b[l * ldb + j];
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      c[i * ldc + j] = sum[i][j];
}

/// Computes a whole product (see `contract` in Contraction.h) in tiles of tileRows x `columns` elements. Rows and
/// columns that do not fill a tile are computed one row at a time.
template <typename Real, int64_t columns>
[[gnu::always_inline]] inline void contractBlocks(int64_t m, int64_t n, int64_t k, const Real *a, const Real *b,
                                                  Real *c) {
  for (int64_t l = 0; l < k; l += depth) {
    int64_t block = std::min(depth, k - l);
    for (int64_t j = 0; j < n;) {
      // A panel of b stays in the cache while all rows of a use it.
      bool wide = n - j >= columns;
      const Real *panel = b + l * n + j;
      int64_t i = 0;
      for (; wide && i + tileRows <= m; i += tileRows)
        tile<Real, tileRows, columns>(block, a + i * k + l, k, panel, n, c + i * n + j, n);
      for (; i < m; ++i)
        if (wide)
          tile<Real, 1, columns>(block, a + i * k + l, k, panel, n, c + i * n + j, n);
        else
          for (int64_t p = 0; p < block; ++p)
            for (int64_t q = 0; q < n - j; ++q)
              c[i * n + j + q] += a[i * k + l + p] * panel[p * n + q];
      j = wide ? j + columns : n;
    }
  }
}

// The compiler vectorizes these functions for a CPU feature. A row of a tile is 4 vectors with AVX-512, 2 with AVX2.
#if defined(__x86_64__)
template <typename Real>
[[gnu::target("avx512f")]] void contract512(int64_t m, int64_t n, int64_t k, const Real *a, const Real *b,
                                               Real *c) {
  contractBlocks<Real, 256 / sizeof(Real)>(m, n, k, a, b, c);
}
template <typename Real>
[[gnu::target("avx2")]] void contract256(int64_t m, int64_t n, int64_t k, const Real *a, const Real *b,
                                            Real *c) {
  contractBlocks<Real, 64 / sizeof(Real)>(m, n, k, a, b, c);
}
#endif

} // namespace

template <typename Real>
void heddle::contract(int64_t m, int64_t n, int64_t k, const Real *a, const Real *b, Real *c) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return contract512(m, n, k, a, b, c);
  if (__builtin_cpu_supports("avx2"))
    return contract256(m, n, k, a, b, c);
#endif
  contractBlocks<Real, 32 / sizeof(Real)>(m, n, k, a, b, c);
}

template void heddle::contract<float>(int64_t, int64_t, int64_t, const float *, const float *, float *);
template void heddle::contract<double>(int64_t, int64_t, int64_t, const double *, const double *, double *);
