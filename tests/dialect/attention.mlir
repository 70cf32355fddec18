// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: @plain
func.func @plain(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<1x2x6x8xf32>) -> tensor<1x2x4x8xf32> {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}}
  %0 = heddle.attention %q, %k, %v : (tensor<1x2x4x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>) -> tensor<1x2x4x8xf32>
  return %0 : tensor<1x2x4x8xf32>
}
