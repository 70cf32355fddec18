// RUN: heddle-opt %s --heddle-tile=strategy=linear=linear-packed | FileCheck %s

// If a layer with bf16 operands has many rows, a task converts its panel (neighbouring columns of the weight) and its
// block of rows to f32 once, before the products. The next panel is prefetched in its stored form, bf16: a cache line
// contains two rows of the panel, and each of four tiles prefetches 8 of the panel's 32 lines.
// CHECK-LABEL: @many
// CHECK: scf.forall
// CHECK: linalg.copy {{.*}} outs(%{{.*}} : tensor<24x64xf32>)
// CHECK: linalg.copy {{.*}} outs(%{{.*}} : tensor<64x16xf32>)
// CHECK: tensor.extract_slice %{{.*}} [8] [32] : tensor<4096xbf16> to tensor<8xbf16>
// CHECK: linalg.generic {{.*}} attrs = {heddle.prefetch = 3 : i64}
func.func private @many(%x: tensor<40x64xbf16>, %w: tensor<4x64x16xbf16>, %out: tensor<40x64xf32>) -> tensor<40x64xf32> attributes {heddle.kernel} {
  %xw = heddle.dequantize %x : tensor<40x64xbf16> -> tensor<40x64xf32>
  %ww = heddle.dequantize %w : tensor<4x64x16xbf16> -> tensor<4x64x16xf32>
  %0 = heddle.linear %xw, %ww : (tensor<40x64xf32>, tensor<4x64x16xf32>) -> tensor<40x64xf32>
  return %0 : tensor<40x64xf32>
}

// If the layer has few rows, the panel is not converted before the products: the products read the bf16 panel, which
// has half as many bytes as a panel in f32.
// CHECK-LABEL: @few
// CHECK: scf.forall
// CHECK: linalg.copy {{.*}} outs(%{{.*}} : tensor<2x64xf32>)
// CHECK-NOT: linalg.copy
// CHECK: linalg.matmul
func.func private @few(%x: tensor<2x64xbf16>, %w: tensor<4x64x16xbf16>, %out: tensor<2x64xf32>) -> tensor<2x64xf32> attributes {heddle.kernel} {
  %xw = heddle.dequantize %x : tensor<2x64xbf16> -> tensor<2x64xf32>
  %ww = heddle.dequantize %w : tensor<4x64x16xbf16> -> tensor<4x64x16xf32>
  %0 = heddle.linear %xw, %ww : (tensor<2x64xf32>, tensor<4x64x16xf32>) -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}
