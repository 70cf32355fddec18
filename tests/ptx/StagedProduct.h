// StagedProduct.h - the kernel of Inputs/staged_product.ptx on random matrices.
#ifndef HEDDLE_TESTS_PTX_STAGEDPRODUCT_H
#define HEDDLE_TESTS_PTX_STAGEDPRODUCT_H

#include "Kernels.h"

namespace heddle::ptx {

/// Numbers of 16 bits, bf16 or f16; rows and columns are multiples of 32, the depth as well, and two of them at least.
class StagedProduct {
public:
  StagedProduct(unsigned rows, unsigned columns, unsigned depth, bool half = false);

  /// What a text of this kernel does wrong, or "". `shorter`: bytes that its second buffer lacks.
  std::string run(const std::string &text, Counters *counters = nullptr, unsigned shorter = 0);
  /// Of the last run, against f64.
  double worstError() const;

private:
  unsigned rows, columns, depth;
  std::vector<uint16_t> a, b;
  std::vector<float> result;
  std::vector<double> expected;
};

} // namespace heddle::ptx

#endif // HEDDLE_TESTS_PTX_STAGEDPRODUCT_H
