// RUN: heddle-opt %s --heddle-tile="%{avx512} strategy=linear=linear-dots" --heddle-vectorize | FileCheck %s

// If only bf16 products read the result of a layer, the layer converts it to bf16 in registers, after its activation.
// CHECK-LABEL: func.func private @up
// CHECK-SAME: tensor<1x8x48xbf16> {bufferization.writable = true}) -> tensor<1x8x48xbf16>
// CHECK-COUNT-12: heddle.dot {{.*}} : vector<32xbf16>, vector<16xf32>
// CHECK: math.erf
// CHECK: arith.truncf {{.*}} fastmath<afn> : vector<16xf32> to vector<16xbf16>
// CHECK-NOT: vector.transfer_write {{.*}} vector<16xf32>
// CHECK: vector.transfer_write {{.*}} : vector<16xbf16>, tensor<{{.*}}xbf16>
// CHECK-NOT: linalg.
// Rows that are stored as bf16 are read without a conversion.
// CHECK-LABEL: func.func private @down
// CHECK-NOT: arith.truncf
// CHECK: heddle.dot {{.*}} : vector<32xbf16>, vector<16xf32>
// CHECK-NOT: arith.truncf
// CHECK: return
// CHECK-LABEL: func.func @main
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func private @up(%x: tensor<1x8x64xf32>, %q: tensor<64x48xbf16>, %out: tensor<1x8x48xbf16> {bufferization.writable = true}) -> tensor<1x8x48xbf16>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q : tensor<64x48xbf16> -> tensor<64x48xf32>
  %0 = heddle.linear %x, %w activation(gelu) rounding(<bf16>) : (tensor<1x8x64xf32>, tensor<64x48xf32>) -> tensor<1x8x48xf32>
  %empty = tensor.empty() : tensor<1x8x48xbf16>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x8x48xf32>) outs(%empty : tensor<1x8x48xbf16>) {
  ^bb0(%wide: f32, %old: bf16):
    %narrow = arith.truncf %wide fastmath<afn> : f32 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<1x8x48xbf16>
  return %1 : tensor<1x8x48xbf16>
}
func.func private @down(%stored: tensor<1x8x48xbf16>, %q: tensor<48x48xbf16>, %out: tensor<1x8x48xf32> {bufferization.writable = true}) -> tensor<1x8x48xf32>
    attributes {heddle.kernel} {
  %x = heddle.dequantize %stored : tensor<1x8x48xbf16> -> tensor<1x8x48xf32>
  %w = heddle.dequantize %q : tensor<48x48xbf16> -> tensor<48x48xf32>
  %0 = heddle.linear %x, %w rounding(<bf16>) : (tensor<1x8x48xf32>, tensor<48x48xf32>) -> tensor<1x8x48xf32>
  return %0 : tensor<1x8x48xf32>
}
func.func @main(%x: tensor<1x8x64xf32> {bufferization.writable = false}, %out: tensor<1x8x48xf32>) -> tensor<1x8x48xf32> {
  %u = heddle.weight "u" via [#heddle.cast<bf16>] : tensor<64x48xbf16>
  %d = heddle.weight "d" via [#heddle.cast<bf16>] : tensor<48x48xbf16>
  %place = tensor.empty() : tensor<1x8x48xbf16>
  %h = call @up(%x, %u, %place) : (tensor<1x8x64xf32>, tensor<64x48xbf16>, tensor<1x8x48xbf16>) -> tensor<1x8x48xbf16>
  %0 = call @down(%h, %d, %out) : (tensor<1x8x48xbf16>, tensor<48x48xbf16>, tensor<1x8x48xf32>) -> tensor<1x8x48xf32>
  return %0 : tensor<1x8x48xf32>
}
