// RUN: heddle-opt %s --heddle-narrow-results --split-input-file | FileCheck %s

// If only layers that round their input to bf16 read a result, the kernel that computes the result rounds it and stores
// it as bf16. Here @up computes the result, and two calls of @down read it, in another shape.

// CHECK-LABEL: func.func @main
// CHECK: %[[PLACE:.*]] = tensor.empty() : tensor<1x3x6xbf16>
// CHECK: %[[H:.*]] = call @up(%{{.*}}, %{{.*}}, %[[PLACE]]) : (tensor<1x3x4xf32>, tensor<4x6xbf16>, tensor<1x3x6xbf16>) -> tensor<1x3x6xbf16>
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[H]] {{.*}} : tensor<1x3x6xbf16> into tensor<3x6xbf16>
// CHECK: call @down(%[[ROWS]], %{{.*}}, %{{.*}}) : (tensor<3x6xbf16>, tensor<6x4xbf16>, tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK: call @down(%[[ROWS]],
// CHECK-LABEL: func.func private @up
// CHECK-SAME: %arg2: tensor<1x3x6xbf16> {bufferization.writable = true}) -> tensor<1x3x6xbf16>
// CHECK: %[[LAYER:.*]] = heddle.linear
// CHECK: %[[NARROW:.*]] = linalg.generic {{.*}} ins(%[[LAYER]] : tensor<1x3x6xf32>)
// CHECK: arith.truncf %{{.*}} fastmath<afn> : f32 to bf16
// CHECK: return %[[NARROW]]
// CHECK-LABEL: func.func private @down
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<3x6xbf16>
// CHECK: %[[WIDE:.*]] = heddle.dequantize %[[X]] : tensor<3x6xbf16> -> tensor<3x6xf32>
// CHECK: heddle.linear %[[WIDE]],
func.func @main(%x: tensor<1x3x4xf32>, %u: tensor<4x6xbf16>, %d: tensor<6x4xbf16>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %place = tensor.empty() : tensor<1x3x6xf32>
  %h = call @up(%x, %u, %place) : (tensor<1x3x4xf32>, tensor<4x6xbf16>, tensor<1x3x6xf32>) -> tensor<1x3x6xf32>
  %rows = tensor.collapse_shape %h [[0, 1], [2]] : tensor<1x3x6xf32> into tensor<3x6xf32>
  %e0 = tensor.empty() : tensor<3x4xf32>
  %0 = call @down(%rows, %d, %e0) : (tensor<3x6xf32>, tensor<6x4xbf16>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %e1 = tensor.empty() : tensor<3x4xf32>
  %1 = call @down(%rows, %d, %e1) : (tensor<3x6xf32>, tensor<6x4xbf16>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<3x4xf32>
}
func.func private @up(%x: tensor<1x3x4xf32>, %q: tensor<4x6xbf16>, %out: tensor<1x3x6xf32> {bufferization.writable = true}) -> tensor<1x3x6xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q : tensor<4x6xbf16> -> tensor<4x6xf32>
  %0 = heddle.linear %x, %w activation(gelu) rounding(<bf16>) : (tensor<1x3x4xf32>, tensor<4x6xf32>) -> tensor<1x3x6xf32>
  return %0 : tensor<1x3x6xf32>
}
func.func private @down(%x: tensor<3x6xf32>, %q: tensor<6x4xbf16>, %out: tensor<3x4xf32> {bufferization.writable = true}) -> tensor<3x4xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q : tensor<6x4xbf16> -> tensor<6x4xf32>
  %0 = heddle.linear %x, %w rounding(<bf16>) : (tensor<3x6xf32>, tensor<6x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// These results stay in f32: one that is also a residual, one that is also a result of the model, and one that is
// passed to @thin, since another call of @thin passes an input of the model, which is f32.

// CHECK-LABEL: func.func @main
// CHECK-NOT: bf16
// CHECK-LABEL: func.func private @square
// CHECK-NOT: truncf
#same = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %e0 = tensor.empty() : tensor<4x4xf32>
  %shared = call @square(%x, %w, %e0) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e1 = tensor.empty() : tensor<4x4xf32>
  %0 = call @residual(%shared, %w, %shared, %e1) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e2 = tensor.empty() : tensor<4x4xf32>
  %yielded = call @square(%0, %w, %e2) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e3 = tensor.empty() : tensor<4x4xf32>
  %1 = call @thin(%x, %w, %e3) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e4 = tensor.empty() : tensor<4x4xf32>
  %2 = call @thin(%1, %w, %e4) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %yielded, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
func.func private @square(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %out: tensor<4x4xf32> {bufferization.writable = true}) -> tensor<4x4xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w rounding(<bf16>) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @residual(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %r: tensor<4x4xf32>, %out: tensor<4x4xf32> {bufferization.writable = true}) -> tensor<4x4xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w residual(%r) rounding(<bf16>) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @thin(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %out: tensor<4x4xf32> {bufferization.writable = true}) -> tensor<4x4xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w rounding(<bf16>) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// These results stay in f32: the result of a layer without rounding, a result that the next layer rounds to integers,
// and rows of odd length, because dot products of bf16 multiply pairs of elements.

// CHECK-LABEL: func.func @main
// CHECK-NOT: bf16
// CHECK-LABEL: func.func private @plain
func.func @main(%x: tensor<4x5xf32>, %w: tensor<5x5xf32>) -> tensor<4x5xf32> {
  %e0 = tensor.empty() : tensor<4x5xf32>
  %0 = call @plain(%x, %w, %e0) : (tensor<4x5xf32>, tensor<5x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %e1 = tensor.empty() : tensor<4x5xf32>
  %1 = call @integers(%0, %w, %e1) : (tensor<4x5xf32>, tensor<5x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %e2 = tensor.empty() : tensor<4x5xf32>
  %2 = call @odd(%1, %w, %e2) : (tensor<4x5xf32>, tensor<5x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}
func.func private @plain(%x: tensor<4x5xf32>, %w: tensor<5x5xf32>, %out: tensor<4x5xf32> {bufferization.writable = true}) -> tensor<4x5xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<4x5xf32>, tensor<5x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
func.func private @integers(%x: tensor<4x5xf32>, %w: tensor<5x5xf32>, %out: tensor<4x5xf32> {bufferization.writable = true}) -> tensor<4x5xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w rounding(<i8>) : (tensor<4x5xf32>, tensor<5x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
func.func private @odd(%x: tensor<4x5xf32>, %w: tensor<5x5xf32>, %out: tensor<4x5xf32> {bufferization.writable = true}) -> tensor<4x5xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w rounding(<bf16>) : (tensor<4x5xf32>, tensor<5x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// The results of a kernel without a body (@elsewhere) and of a kernel without a destination (@given) stay in f32.
// CHECK-LABEL: func.func @main
// CHECK: call @given() : () -> tensor<4x4xf32>
// CHECK: call @elsewhere({{.*}}) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK: call @rows({{.*}}) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @main(%w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = call @given() : () -> tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %1 = call @elsewhere(%0, %e) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = call @rows(%1, %w, %e) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
func.func private @elsewhere(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> attributes {heddle.kernel}
func.func private @given() -> tensor<4x4xf32> attributes {heddle.kernel} {
  %0 = arith.constant dense<1.0> : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @rows(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %out: tensor<4x4xf32> {bufferization.writable = true}) -> tensor<4x4xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w rounding(<bf16>) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
