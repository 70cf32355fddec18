// RUN: heddle-opt %s --transform-interpreter | FileCheck %s

// Of tiles whose number only the call knows, the first two bring the next panel of the weight, in equal shares.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for %[[AT:.*]] = %c0{{.*}} iter_args
// CHECK: %[[ROW:.*]] = arith.minsi %[[AT]]
// CHECK: arith.cmpi slt, %[[ROW]], %c16
// CHECK: scf.if
// CHECK: linalg.generic {{.*}}heddle.prefetch = 2
// CHECK: } else {
// CHECK-NOT: heddle.prefetch
// CHECK: linalg.matmul
module attributes {transform.with_named_sequence, heddle.sizes = [{name = "rows", low = 1, high = 512, stands = 4001}]} {
  func.func @rows(%x: tensor<4001x64xf32>, %w: tensor<4x64x48xf32>) -> tensor<4001x192xf32> {
    %0 = heddle.linear %x, %w : (tensor<4001x64xf32>, tensor<4x64x48xf32>) -> tensor<4001x192xf32>
    return %0 : tensor<4001x192xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %ahead = transform.param.constant 1 : i64 -> !transform.param<i64>
    %least = transform.param.constant 8 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 2 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers)
        weight(%kib, %ahead, %least, %cache) : !transform.any_op
    transform.yield
  }
}
