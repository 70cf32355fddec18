// RUN: heddle-opt %s --heddle-narrow-results="types=bf16,f16 conversions=true" --split-input-file | FileCheck %s

// With conversions=true, which is the option for devices, a kernel that only converts the result of a layer becomes a
// part of the layer's kernel if all other readers round the result to the same type. The layer need not round its own
// input.

// CHECK-LABEL: func.func @main
// CHECK: %[[PLACE:.*]] = tensor.empty() : tensor<3x6xf16>
// CHECK: %[[H:.*]] = call @up(%{{.*}}, %{{.*}}, %[[PLACE]]) : (tensor<3x6xf32>, tensor<6x6xf32>, tensor<3x6xf16>) -> tensor<3x6xf16>
// CHECK: %[[LONG:.*]] = tensor.collapse_shape %[[H]] {{.*}} : tensor<3x6xf16> into tensor<18xf16>
// CHECK: call @down(%[[H]],
// CHECK: return %[[LONG]],
// CHECK-LABEL: func.func private @up
// The rounding lacks the flag afn: it keeps denormals, because products on devices do not flush them.
// CHECK: arith.truncf %{{[a-z0-9]*}} : f32 to f16
// CHECK-NOT: func.func private @convert
// CHECK-LABEL: func.func private @down
// CHECK-NOT: func.func private @convert
func.func @main(%x: tensor<3x6xf32>, %u: tensor<6x6xf32>, %d: tensor<6x4xf16>) -> (tensor<18xf16>, tensor<3x4xf32>) {
  %place = tensor.empty() : tensor<3x6xf32>
  %h = call @up(%x, %u, %place) : (tensor<3x6xf32>, tensor<6x6xf32>, tensor<3x6xf32>) -> tensor<3x6xf32>
  %long = tensor.collapse_shape %h [[0, 1]] : tensor<3x6xf32> into tensor<18xf32>
  %e0 = tensor.empty() : tensor<18xf16>
  %0 = call @convert(%long, %e0) : (tensor<18xf32>, tensor<18xf16>) -> tensor<18xf16>
  %e1 = tensor.empty() : tensor<3x4xf32>
  %1 = call @down(%h, %d, %e1) : (tensor<3x6xf32>, tensor<6x4xf16>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<18xf16>, tensor<3x4xf32>
}
func.func private @up(%x: tensor<3x6xf32>, %w: tensor<6x6xf32>, %out: tensor<3x6xf32> {bufferization.writable = true}) -> tensor<3x6xf32>
    attributes {heddle.kernel} {
  %0 = heddle.ffn %x, %w, %w : (tensor<3x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}
func.func private @convert(%x: tensor<18xf32>, %out: tensor<18xf16> {bufferization.writable = true}) -> tensor<18xf16>
    attributes {heddle.kernel} {
  %e = tensor.empty() : tensor<18xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<18xf32>) outs(%e : tensor<18xf16>) {
  ^bb0(%wide: f32, %old: f16):
    %narrow = arith.truncf %wide : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<18xf16>
  return %0 : tensor<18xf16>
}
func.func private @down(%x: tensor<3x6xf32>, %q: tensor<6x4xf16>, %out: tensor<3x4xf32> {bufferization.writable = true}) -> tensor<3x4xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q : tensor<6x4xf16> -> tensor<6x4xf32>
  %0 = heddle.linear %x, %w rounding(<f16>) : (tensor<3x6xf32>, tensor<6x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// The conversions of these tensors remain: a result that another kernel reads in f32 (%shared), an input of the model
// (%x), and a result that one kernel converts to bf16 and another kernel to f16 (%both). The conversion of %1 also
// remains: @layer computes both %shared and %1, so they have the same type, f32.

// CHECK-LABEL: func.func @main
// CHECK-COUNT-4: call @bf16
// CHECK: call @f16
// CHECK-LABEL: func.func private @layer
// CHECK-NOT: truncf
// CHECK-LABEL: func.func private @other
// CHECK-NOT: truncf
// CHECK-LABEL: func.func private @bf16
#same = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xbf16>, tensor<4x4xf32>, tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xf16>) {
  %e0 = tensor.empty() : tensor<4x4xf32>
  %shared = call @layer(%x, %w, %e0) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e1 = tensor.empty() : tensor<4x4xbf16>
  %0 = call @bf16(%shared, %e1) : (tensor<4x4xf32>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %e2 = tensor.empty() : tensor<4x4xf32>
  %1 = call @layer(%shared, %w, %e2) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e3 = tensor.empty() : tensor<4x4xbf16>
  %2 = call @bf16(%x, %e3) : (tensor<4x4xf32>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %e4 = tensor.empty() : tensor<4x4xf32>
  %both = call @other(%x, %w, %e4) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e5 = tensor.empty() : tensor<4x4xbf16>
  %3 = call @bf16(%both, %e5) : (tensor<4x4xf32>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %e6 = tensor.empty() : tensor<4x4xbf16>
  %4 = call @bf16(%1, %e6) : (tensor<4x4xf32>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %e7 = tensor.empty() : tensor<4x4xf16>
  %5 = call @f16(%both, %e7) : (tensor<4x4xf32>, tensor<4x4xf16>) -> tensor<4x4xf16>
  return %0, %1, %2, %4, %5 : tensor<4x4xbf16>, tensor<4x4xf32>, tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xf16>
}
func.func private @layer(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %out: tensor<4x4xf32> {bufferization.writable = true}) -> tensor<4x4xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @other(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %out: tensor<4x4xf32> {bufferization.writable = true}) -> tensor<4x4xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w activation(relu) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @bf16(%x: tensor<4x4xf32>, %out: tensor<4x4xbf16> {bufferization.writable = true}) -> tensor<4x4xbf16>
    attributes {heddle.kernel} {
  %e = tensor.empty() : tensor<4x4xbf16>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xbf16>) {
  ^bb0(%wide: f32, %old: bf16):
    %narrow = arith.truncf %wide : f32 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<4x4xbf16>
  return %0 : tensor<4x4xbf16>
}
func.func private @f16(%x: tensor<4x4xf32>, %out: tensor<4x4xf16> {bufferization.writable = true}) -> tensor<4x4xf16>
    attributes {heddle.kernel} {
  %e = tensor.empty() : tensor<4x4xf16>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf16>) {
  ^bb0(%wide: f32, %old: f16):
    %narrow = arith.truncf %wide : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

// -----

// @bf16 converts the result of a layer and an input of the model. Only the call for the result of the layer is removed.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<4x4xf32>
// CHECK: %[[H:.*]] = call @layer({{.*}}) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
// CHECK: %[[C:.*]] = call @bf16(%[[X]], %{{.*}})
// CHECK: return %[[H]], %[[C]]
#same = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xbf16>, tensor<4x4xbf16>) {
  %e0 = tensor.empty() : tensor<4x4xf32>
  %h = call @layer(%x, %w, %e0) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e1 = tensor.empty() : tensor<4x4xbf16>
  %0 = call @bf16(%h, %e1) : (tensor<4x4xf32>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %e2 = tensor.empty() : tensor<4x4xbf16>
  %1 = call @bf16(%x, %e2) : (tensor<4x4xf32>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %0, %1 : tensor<4x4xbf16>, tensor<4x4xbf16>
}
func.func private @layer(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %out: tensor<4x4xf32> {bufferization.writable = true}) -> tensor<4x4xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @bf16(%x: tensor<4x4xf32>, %out: tensor<4x4xbf16> {bufferization.writable = true}) -> tensor<4x4xbf16>
    attributes {heddle.kernel} {
  %e = tensor.empty() : tensor<4x4xbf16>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xbf16>) {
  ^bb0(%wide: f32, %old: bf16):
    %narrow = arith.truncf %wide : f32 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<4x4xbf16>
  return %0 : tensor<4x4xbf16>
}

// -----

// Products on devices do not multiply pairs of elements, so the number of columns may be odd. The rounding must not
// flush denormals.

// CHECK-LABEL: func.func @main
// CHECK: call @up({{.*}}) : (tensor<3x4xf32>, tensor<4x5xbf16>, tensor<3x5xbf16>) -> tensor<3x5xbf16>
// CHECK-LABEL: func.func private @up
// CHECK: arith.truncf %{{[a-z0-9]*}} : f32 to bf16
func.func @main(%x: tensor<3x4xf32>, %u: tensor<4x5xbf16>, %d: tensor<5x4xbf16>) -> tensor<3x4xf32> {
  %place = tensor.empty() : tensor<3x5xf32>
  %h = call @up(%x, %u, %place) : (tensor<3x4xf32>, tensor<4x5xbf16>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %0 = call @down(%h, %d, %e) : (tensor<3x5xf32>, tensor<5x4xbf16>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
func.func private @up(%x: tensor<3x4xf32>, %q: tensor<4x5xbf16>, %out: tensor<3x5xf32> {bufferization.writable = true}) -> tensor<3x5xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q : tensor<4x5xbf16> -> tensor<4x5xf32>
  %0 = heddle.linear %x, %w rounding(<bf16>) : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
func.func private @down(%x: tensor<3x5xf32>, %q: tensor<5x4xbf16>, %out: tensor<3x4xf32> {bufferization.writable = true}) -> tensor<3x4xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q : tensor<5x4xbf16> -> tensor<5x4xf32>
  %0 = heddle.linear %x, %w rounding(<bf16>) : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
