// RUN: heddle-opt %s --transform-interpreter --split-input-file | FileCheck %s

// Eight rows by 48 columns are computed in one tile with 24 accumulators. If the contraction has at most 32 terms, two
// tiles with 12 accumulators each compute them.
// CHECK-LABEL: func.func @long
// CHECK: linalg.fill {{.*}} tensor<8x48xf32>
// CHECK-LABEL: func.func @short
// CHECK: linalg.fill {{.*}} tensor<4x48xf32>
func.func @long(%x: tensor<8x33xf32>, %w: tensor<2x33x48xf32>) -> tensor<8x96xf32> {
  %0 = heddle.linear %x, %w : (tensor<8x33xf32>, tensor<2x33x48xf32>) -> tensor<8x96xf32>
  return %0 : tensor<8x96xf32>
}
func.func @short(%x: tensor<8x32xf32>, %w: tensor<2x32x48xf32>) -> tensor<8x96xf32> {
  %0 = heddle.linear %x, %w : (tensor<8x32xf32>, tensor<2x32x48xf32>) -> tensor<8x96xf32>
  return %0 : tensor<8x96xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers)
        : !transform.any_op
    transform.yield
  }
}
