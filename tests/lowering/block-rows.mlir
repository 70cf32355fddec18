// RUN: heddle-opt %s --transform-interpreter --split-input-file | FileCheck %s

// 180 rows are cut into three equal blocks of 60, the largest divisor of 180 that is at most 64. The layer of a block
// adds the block's rows of the residual, and its destination is the block's slice of the result.
// CHECK-LABEL: func.func @blocks
// CHECK: scf.forall (%[[BLOCK:.*]]) in (3) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<180x8xf32>)
// CHECK: %[[ROW:.*]] = affine.apply #{{.*}}(%[[BLOCK]])
// CHECK: %[[X:.*]] = tensor.extract_slice %{{.*}}[%[[ROW]], 0] [60, 4] [1, 1]
// CHECK: %[[R:.*]] = tensor.extract_slice %{{.*}}[%[[ROW]], 0] [60, 8] [1, 1]
// CHECK: %[[Y:.*]] = heddle.linear %[[X]], %{{.*}} residual(%[[R]])
// CHECK: tensor.parallel_insert_slice %[[Y]] into %[[OUT]][%[[ROW]], 0] [60, 8] [1, 1]
// CHECK: tensor.expand_shape
func.func @blocks(%x: tensor<2x90x4xf32>, %w: tensor<4x8xf32>, %r: tensor<2x90x8xf32>) -> tensor<2x90x8xf32> {
  %0 = heddle.linear %x, %w residual(%r) : (tensor<2x90x4xf32>, tensor<4x8xf32>, tensor<2x90x8xf32>) -> tensor<2x90x8xf32>
  return %0 : tensor<2x90x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 64 : i64 -> !transform.param<i64>
    transform.heddle.block_rows %linear rows(%rows) : !transform.any_op
    transform.yield
  }
}
