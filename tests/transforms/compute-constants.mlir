// RUN: heddle-opt %s --heddle-compute-constants | FileCheck %s

// The shape of a constant may depend on a size if all its elements are equal. If such a constant is returned or is an
// operand of a layer, it is computed in each call (%ones). If it is only used by operations that can read its element
// as a scalar, it remains a constant (%zero). A constant whose shape does not depend on a size is unchanged (%w).
// CHECK-LABEL: func.func @main
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[ONES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4001x8xf32>)
// CHECK: linalg.yield %[[ONE]] : f32
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4001xf32>
// CHECK: %[[FIXED:.*]] = arith.constant dense<5.000000e-01> : tensor<8x8xf32>
// CHECK: %[[SUM:.*]] = linalg.reduce {{.*}} outs(%[[ZERO]] : tensor<4001xf32>)
// CHECK: %[[LINEAR:.*]] = heddle.linear %{{.*}}, %[[FIXED]] residual(%[[ONES]])
// CHECK: return %[[ONES]], %[[SUM]], %[[LINEAR]]
module attributes {heddle.sizes = [{name = "n", low = 1, high = 40, placeholder = 4001}]} {
  func.func @main(%x: tensor<4001x8xf32>) -> (tensor<4001x8xf32>, tensor<4001xf32>, tensor<4001x8xf32>) {
    %ones = arith.constant dense<1.0> : tensor<4001x8xf32>
    %zero = arith.constant dense<0.0> : tensor<4001xf32>
    %w = arith.constant dense<0.5> : tensor<8x8xf32>
    %0 = linalg.reduce { arith.addf } ins(%x : tensor<4001x8xf32>) outs(%zero : tensor<4001xf32>) dimensions = [1]
    %1 = heddle.linear %x, %w residual(%ones)
      : (tensor<4001x8xf32>, tensor<8x8xf32>, tensor<4001x8xf32>) -> tensor<4001x8xf32>
    return %ones, %0, %1 : tensor<4001x8xf32>, tensor<4001xf32>, tensor<4001x8xf32>
  }
}
