// RUN: heddle-opt %s --heddle-lower-general | FileCheck %s

// Elementwise operations and the broadcast between them become one loop.
// CHECK-LABEL: func.func private @k0(
// CHECK-COUNT-1: linalg.generic
// CHECK: math.exp
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func private @k0(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> attributes {heddle.kernel} {
  %0 = math.exp %x : tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %1 = linalg.broadcast ins(%b : tensor<8xf32>) outs(%e : tensor<4x8xf32>) dimensions = [0]
  %2 = arith.addf %0, %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// What a strategy took is left alone.
// CHECK-LABEL: func.func private @k1(
// CHECK-NOT: linalg.generic
// CHECK: return
func.func private @k1(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {heddle.kernel, heddle.strategy = {}} {
  %0 = math.exp %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
