// If the rows of a layer fit into one tile, the layer takes as long as its weight is read. If groups of the weight have
// scales, the product of a group prefetches the cache lines 8 KiB behind the group.
// RUN: heddle-opt %s --heddle-tile="%{avx512} strategy=linear=linear-dots" | FileCheck %s
// RUN: heddle-opt %s --heddle-tile="limits=dot_bits=16,vector_bits=256 strategy=linear=linear-dots" | FileCheck %s --check-prefix=WORDS
// RUN: heddle-opt %s --heddle-tile="%{avx512} strategy={{linear=linear-dots:prefetch_panels=2,prefetch_cache=2}}" | FileCheck %s --check-prefix=FAR
// RUN: heddle-opt %s --heddle-tile="%{avx512} strategy=linear=linear-dots:prefetch_panels=0" | FileCheck %s --check-prefix=NONE

// NONE-NOT: prefetch(

// The weight of @few has 49152 bytes, and a panel 12288. A group of codes of 4 bits has 12 cache lines: each of its 8
// steps prefetches one, and every second step another one. The last group prefetches the last 12 lines of the weight.
// CHECK: #[[$FEW:map[0-9]*]] = affine_map<(d0, d1) -> (d0 * 12288 + (d1 floordiv 2) * 192 + 8192, 48384)>
// CHECK: #[[$REST:map[0-9]*]] = affine_map<(d0) -> (d0 + 512)>
// A group of bytes has 24 lines, and the weight of @bytes has 96.
// CHECK: #[[$BYTES:map[0-9]*]] = affine_map<(d0, d1) -> (d0 * 3072 + d1 * 192 + 8192, 4608)>
// FAR: (d0 * 12288 + (d1 floordiv 2) * 192 + 16384, 48384)>
// FAR: heddle.tile_product {{.*}} prefetch({{.*}} : tensor<8xi8>, tensor<4xi8>) every [1, 2] locality 2
// CHECK-LABEL: func.func private @few(
// CHECK: %[[AT:.*]] = affine.min #[[$FEW]](
// CHECK: tensor.extract_slice %{{.*}}[%[[AT]]] [8] [64] : tensor<49152xi8> to tensor<8xi8>
// CHECK: %[[NEXT:.*]] = affine.apply #[[$REST]](%[[AT]])
// CHECK: tensor.extract_slice %{{.*}}[%[[NEXT]]] [4] [64] : tensor<49152xi8> to tensor<4xi8>
// CHECK: heddle.tile_product {{.*}}dot_nibbles{{.*}} prefetch({{.*}} : tensor<8xi8>, tensor<4xi8>) every [1, 2] locality 3
// Nine rows need several tiles, of which all but the first read the panel from a cache.
// CHECK-LABEL: func.func private @many(
// CHECK-NOT: prefetch(
// CHECK-LABEL: func.func private @bytes(
// CHECK: affine.min #[[$BYTES]](
// CHECK: prefetch({{.*}} : tensor<8xi8>, tensor<8xi8>, tensor<8xi8>) every [1, 1, 1] locality 3

// With rows of 16 bits, a group has 16 steps of two rows of a panel of 16 columns, thus 8 cache lines.
// WORDS-LABEL: func.func private @bytes(
// WORDS: dot_words{{.*}} prefetch({{.*}} : tensor<8xi8>) every [2] locality 3
// A weight of 32 bytes is smaller than a cache line.
// WORDS-LABEL: func.func private @tiny(
// WORDS: heddle.tile_product
// WORDS-NOT: prefetch(

func.func private @few(%x: tensor<4x512xf32>, %q: tensor<512x192xi8>, %s: tensor<16x192xf32>,
                      %out: tensor<4x192xf32> {bufferization.writable = true}) -> tensor<4x192xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<16x192xf32>) block [32, 1] : tensor<512x192xi8> -> tensor<512x192xf32>
  %0 = heddle.linear %x, %w rounding(<ui8 x 32>) : (tensor<4x512xf32>, tensor<512x192xf32>) -> tensor<4x192xf32>
  return %0 : tensor<4x192xf32>
}
func.func private @many(%x: tensor<9x512xf32>, %q: tensor<512x192xi8>, %s: tensor<16x192xf32>,
                      %out: tensor<9x192xf32> {bufferization.writable = true}) -> tensor<9x192xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<16x192xf32>) block [32, 1] : tensor<512x192xi8> -> tensor<512x192xf32>
  %0 = heddle.linear %x, %w rounding(<ui8 x 32>) : (tensor<9x512xf32>, tensor<512x192xf32>) -> tensor<9x192xf32>
  return %0 : tensor<9x192xf32>
}
func.func private @bytes(%x: tensor<1x64xf32>, %q: tensor<64x96xi8>, %s: tensor<2x96xf32>,
                      %out: tensor<1x96xf32> {bufferization.writable = true}) -> tensor<1x96xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<2x96xf32>) block [32, 1] : tensor<64x96xi8> -> tensor<64x96xf32>
  %0 = heddle.linear %x, %w rounding(<ui8 x 32>) : (tensor<1x64xf32>, tensor<64x96xf32>) -> tensor<1x96xf32>
  return %0 : tensor<1x96xf32>
}
func.func private @tiny(%x: tensor<1x2xf32>, %q: tensor<2x16xi8>, %s: tensor<1x16xf32>,
                      %out: tensor<1x16xf32> {bufferization.writable = true}) -> tensor<1x16xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<1x16xf32>) block [32, 1] : tensor<2x16xi8> -> tensor<2x16xf32>
  %0 = heddle.linear %x, %w rounding(<ui8 x 32>) : (tensor<1x2xf32>, tensor<2x16xf32>) -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}
func.func @main(%x0: tensor<4x512xf32> {bufferization.writable = false}, %o0: tensor<4x192xf32>,
                %x1: tensor<9x512xf32> {bufferization.writable = false}, %o1: tensor<9x192xf32>,
                %x2: tensor<1x64xf32> {bufferization.writable = false}, %o2: tensor<1x96xf32>,
                %x3: tensor<1x2xf32> {bufferization.writable = false}, %o3: tensor<1x16xf32>)
    -> (tensor<4x192xf32>, tensor<9x192xf32>, tensor<1x96xf32>, tensor<1x16xf32>) {
  %q0 = heddle.weight "few" via [#heddle.unpack<#heddle.q4_0, codes>, #heddle.transpose<[1, 0]>] : tensor<512x192xi8>
  %s0 = heddle.weight "few" via [#heddle.unpack<#heddle.q4_0, scales>, #heddle.transpose<[1, 0]>] : tensor<16x192xf32>
  %y0 = call @few(%x0, %q0, %s0, %o0) : (tensor<4x512xf32>, tensor<512x192xi8>, tensor<16x192xf32>, tensor<4x192xf32>) -> tensor<4x192xf32>
  %q1 = heddle.weight "many" via [#heddle.unpack<#heddle.q4_0, codes>, #heddle.transpose<[1, 0]>] : tensor<512x192xi8>
  %s1 = heddle.weight "many" via [#heddle.unpack<#heddle.q4_0, scales>, #heddle.transpose<[1, 0]>] : tensor<16x192xf32>
  %y1 = call @many(%x1, %q1, %s1, %o1) : (tensor<9x512xf32>, tensor<512x192xi8>, tensor<16x192xf32>, tensor<9x192xf32>) -> tensor<9x192xf32>
  %q2 = heddle.weight "bytes" : tensor<64x96xi8>
  %s2 = heddle.weight "bytes_scales" : tensor<2x96xf32>
  %y2 = call @bytes(%x2, %q2, %s2, %o2) : (tensor<1x64xf32>, tensor<64x96xi8>, tensor<2x96xf32>, tensor<1x96xf32>) -> tensor<1x96xf32>
  %q3 = heddle.weight "tiny" : tensor<2x16xi8>
  %s3 = heddle.weight "tiny_scales" : tensor<1x16xf32>
  %y3 = call @tiny(%x3, %q3, %s3, %o3) : (tensor<1x2xf32>, tensor<2x16xi8>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
  return %y0, %y1, %y2, %y3 : tensor<4x192xf32>, tensor<9x192xf32>, tensor<1x96xf32>, tensor<1x16xf32>
}
