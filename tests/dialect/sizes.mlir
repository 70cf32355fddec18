// heddle.sizes is a tensor of integers that are computed from sizes in ranges. The codes of its expressions are parsed
// and printed: one for each element, or one for all elements.
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --canonicalize | FileCheck %s --check-prefix=KEPT

// CHECK: @shape
func.func @shape() -> (tensor<2xi64>, tensor<4x3xi1>) {
  // heddle.sizes is not folded, even if an expression is a constant, because importers read the expressions.
  // CHECK: heddle.sizes [array<i64: 0, 2>, array<i64: 1, 0>] : tensor<2xi64>
  // KEPT: heddle.sizes
  %0 = heddle.sizes [array<i64: 0, 2>, array<i64: 1, 0>] : tensor<2xi64>
  // CHECK: heddle.sizes [array<i64: 9, 0, 9, 1, 7, 0>] : tensor<4x3xi1>
  // KEPT: heddle.sizes
  %1 = heddle.sizes [array<i64: 9, 0, 9, 1, 7, 0>] : tensor<4x3xi1>
  return %0, %1 : tensor<2xi64>, tensor<4x3xi1>
}
