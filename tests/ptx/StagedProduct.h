// StagedProduct.h - runs the kernel of Inputs/staged_product.ptx on random matrices.
#ifndef HEDDLE_TESTS_PTX_STAGEDPRODUCT_H
#define HEDDLE_TESTS_PTX_STAGEDPRODUCT_H

#include "Kernels.h"

namespace heddle::ptx {

/// A product of random matrices of bf16 or f16. The numbers of rows and columns and the depth are multiples of 32; the
/// depth is at least 64.
class StagedProduct {
public:
  /// Creates random matrices of f16 if `half` is true, and of bf16 otherwise.
  StagedProduct(unsigned rows, unsigned columns, unsigned depth, bool half = false);

  /// Runs `text`, which is staged_product.ptx or a variation of it. Returns the error, or "" on success. The buffer of
  /// b lacks the last `shorter` bytes of b, an even number, so the kernel reads beyond the end of this buffer if
  /// `shorter` is not 0.
  std::string run(const std::string &text, Counters *counters = nullptr, unsigned shorter = 0);
  /// Returns the largest absolute difference between an element of the last result and the product in f64.
  double worstError() const;

private:
  unsigned rows, columns, depth;
  // The bits of the matrices in row-major order: a [rows, depth] and b [depth, columns].
  std::vector<uint16_t> a, b;
  // The result of the last run, and the product in f64, both [rows, columns].
  std::vector<float> result;
  std::vector<double> expected;
};

} // namespace heddle::ptx

#endif // HEDDLE_TESTS_PTX_STAGEDPRODUCT_H
