// RUN: heddle-opt %s --heddle-bind-results | FileCheck %s

// The kernel writes through the reshape to where the caller wants the result.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<2x2xf32> {bufferization.writable = true, heddle.name = "y", heddle.result = 0 : i64}
// CHECK: %[[DESTINATION:.*]] = tensor.collapse_shape %[[Y]]
// CHECK: call @k0(%[[X]], %[[DESTINATION]])
// CHECK-NOT: materialize_in_destination
// CHECK: return
func.func @main(%x: tensor<4xf32>) -> (tensor<2x2xf32> {heddle.name = "y"}) {
  %e = tensor.empty() : tensor<4xf32>
  %r = call @k0(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %v = tensor.expand_shape %r [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %v : tensor<2x2xf32>
}

// A kernel whose result lies elsewhere is told where to put it.
// CHECK-LABEL: func.func private @k0(
// CHECK-SAME: %{{.*}}: tensor<4xf32>, %[[OUT:.*]]: tensor<4xf32>
// CHECK: %[[R:.*]] = math.exp
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[R]] in %[[OUT]]
// CHECK: return %[[M]]
func.func private @k0(%x: tensor<4xf32>, %out: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
