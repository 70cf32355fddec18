//===- Contraction.h - fast matrix product ----------------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_CONTRACTION_H
#define HEDDLE_DIALECT_INTERPRETER_CONTRACTION_H

#include <cstdint>

namespace heddle {

/// Adds the product of the matrices a and b to c: c[i][j] = c[i][j] + a[i][0] b[0][j] + a[i][1] b[1][j] + ... The terms
/// are added in this order, and every product and sum is rounded to Real. All matrices are row-major and dense: a has m
/// rows and k columns, b has k rows and n columns, and c has m rows and n columns.
template <typename Real>
void contract(int64_t m, int64_t n, int64_t k, const Real *a, const Real *b, Real *c);

extern template void contract<float>(int64_t, int64_t, int64_t, const float *, const float *, float *);
extern template void contract<double>(int64_t, int64_t, int64_t, const double *, const double *, double *);

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_CONTRACTION_H
