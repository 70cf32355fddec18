// RUN: heddle-opt %s --heddle-bind-results | FileCheck %s

// The result of @main becomes an argument, the destination that the caller passes. The kernel writes its result there,
// in the shape before the reshape.
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

// A kernel that computes its result in a tensor of its own copies the result to its destination, the argument %out.
// CHECK-LABEL: func.func private @k0(
// CHECK-SAME: %{{.*}}: tensor<4xf32>, %[[OUT:.*]]: tensor<4xf32>
// CHECK: %[[R:.*]] = math.exp
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[R]] in %[[OUT]]
// CHECK: return %[[M]]
func.func private @k0(%x: tensor<4xf32>, %out: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The second result is computed from the first one, so the kernel computes the first result in a tensor of its own,
// %own. The pass replaces %own by the destination of the first result, so that the kernel need not copy it at the end.
// CHECK-LABEL: func.func private @read_again
// CHECK-SAME: %{{.*}}: tensor<4xf32> {{{.*}}}, %[[OUT0:[a-z0-9]*]]: tensor<4xf32> {{{.*}}}, %[[OUT1:[a-z0-9]*]]: tensor<4xf32>
// CHECK-NOT: tensor.empty
// CHECK: %[[ONE:.*]] = linalg.generic {{.*}} outs(%[[OUT0]]
// CHECK: %[[TWO:.*]] = linalg.generic {{.*}} ins(%[[ONE]] {{.*}} outs(%[[OUT1]]
// CHECK: return %[[ONE]], %[[TWO]]
func.func private @read_again(%x: tensor<4xf32> {bufferization.writable = false}, %out0: tensor<4xf32> {bufferization.writable = true},
                              %out1: tensor<4xf32> {bufferization.writable = true}) -> (tensor<4xf32>, tensor<4xf32>) attributes {heddle.kernel} {
  %own = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%own : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.negf %in : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%0 : tensor<4xf32>) outs(%out1 : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.mulf %in, %in : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
