// RUN: heddle-opt %s --heddle-tile=strategy=linear=linear-packed | FileCheck %s

// Weights used by many rows are widened once per task: the panel and the block of rows. The next panel's lines, of two
// of its rows each, are prefetched as they are stored: 8 of 32 by each of four tiles.
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

// Few rows read the panel in place: half the bytes.
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
