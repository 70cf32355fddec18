// RUN: heddle-opt %s -transform-interpreter -canonicalize -cse | FileCheck %s

// heddle.attention is decomposed into the steps that its description in ops/Attention.td lists, in their order. In the
// contractions, the dimension of query heads is split into key heads and the query heads that share a key head.
// CHECK-LABEL: @causal
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2], [3], [4]] : tensor<1x2x2x3x5xf32> into tensor<1x4x3x5xf32>
// CHECK: linalg.generic
// CHECK: arith.mulf %{{.*}}, %cst
// CHECK: arith.select
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.divf
// CHECK-NOT: = heddle.attention
func.func @causal(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x6xf32>) -> tensor<1x4x3x6xf32> {
  %0 = heddle.attention %q, %k, %v causal(lower_right)
     : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x6xf32>) -> tensor<1x4x3x6xf32>
  return %0 : tensor<1x4x3x6xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.decompose_interface %attention : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
