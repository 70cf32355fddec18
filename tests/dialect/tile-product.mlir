// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @panels
func.func @panels(%rows: tensor<6x8x4xi8>, %weight: tensor<3x8x64xi8>, %sums: tensor<6x40xi32>) {
  // CHECK: heddle.tile_product %{{.*}}, %{{.*}} into %{{.*}} kind(#heddle.dot_bytes) : tensor<6x8x4xi8>, tensor<3x8x64xi8>, tensor<6x40xi32>
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes) : tensor<6x8x4xi8>, tensor<3x8x64xi8>, tensor<6x40xi32>
  // CHECK: kind(#heddle.dot_bytes<unsigned = weight>)
  %1 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes<unsigned = weight>) : tensor<6x8x4xi8>, tensor<3x8x64xi8>, tensor<6x40xi32>
  return
}

// CHECK-LABEL: @nibbles
func.func @nibbles(%rows: tensor<6x8x4xi8>, %weight: tensor<4x64xi8>, %sums: tensor<6x16xi32>) {
  // CHECK: kind(#heddle.dot_nibbles<[-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7] unsigned = rows sum_bits = 16>)
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_nibbles<[-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7] unsigned = rows sum_bits = 16>) : tensor<6x8x4xi8>, tensor<4x64xi8>, tensor<6x16xi32>
  return
}

// CHECK-LABEL: @prefetched
func.func @prefetched(%rows: tensor<6x8x2xi16>, %weight: tensor<8x32xi8>, %sums: tensor<6x16xi32>, %a: tensor<8xi8>, %b: tensor<3xi8>) {
  // CHECK: kind(#heddle.dot_words) prefetch(%{{.*}}, %{{.*}} : tensor<8xi8>, tensor<3xi8>) every [1, 3] locality 2 : tensor<6x8x2xi16>
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_words)
    prefetch(%a, %b : tensor<8xi8>, tensor<3xi8>) every [1, 3] locality 2 : tensor<6x8x2xi16>, tensor<8x32xi8>, tensor<6x16xi32>
  return
}

// CHECK-LABEL: @bf16
func.func @bf16(%rows: tensor<6x8x2xbf16>, %weight: tensor<8x32xbf16>, %sums: tensor<6x16xf32>) {
  // CHECK: kind(#heddle.dot_bf16)
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bf16) : tensor<6x8x2xbf16>, tensor<8x32xbf16>, tensor<6x16xf32>
  return
}

// CHECK-LABEL: @buffers
func.func @buffers(%rows: memref<16x8x4xi8>, %weight: memref<8x64xi8>, %sums: memref<16x16xi32>, %line: memref<8xi8>) {
  // CHECK: heddle.tile_product %{{.*}}, %{{.*}} into %{{.*}} from_zero kind(#heddle.amx_i8<steps = 8, unsigned = rows>) prefetch(%{{.*}} : memref<8xi8>) every [1] locality 3 : memref<16x8x4xi8>, memref<8x64xi8>, memref<16x16xi32>{{$}}
  heddle.tile_product %rows, %weight into %sums from_zero kind(#heddle.amx_i8<steps = 8, unsigned = rows>)
    prefetch(%line : memref<8xi8>) every [1] locality 3 : memref<16x8x4xi8>, memref<8x64xi8>, memref<16x16xi32>
  return
}

// CHECK-LABEL: @amx
func.func @amx(%rows: tensor<16x16x2xbf16>, %weight: tensor<16x32xbf16>, %sums: tensor<16x16xf32>) {
  // CHECK: kind(#heddle.amx_bf16<steps = 8>)
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.amx_bf16<steps = 8>) : tensor<16x16x2xbf16>, tensor<16x32xbf16>, tensor<16x16xf32>
  return
}

// -----
func.func @c1_depth(%rows: tensor<6x8x2xi8>, %weight: tensor<8x64xi8>, %sums: tensor<6x16xi32>) {
  // expected-error@+1 {{expects rows [M, S, 4], a weight of S steps with N columns or more, and start [M, N], all static and with positive M and N, found 'tensor<6x8x2xi8>', 'tensor<8x64xi8>' and 'tensor<6x16xi32>' (C1)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes) : tensor<6x8x2xi8>, tensor<8x64xi8>, tensor<6x16xi32>
  return
}

// -----
func.func @c1_columns(%rows: tensor<6x8x4xi8>, %weight: tensor<2x8x32xi8>, %sums: tensor<6x17xi32>) {
  // expected-error@+1 {{and 'tensor<6x17xi32>' (C1)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes) : tensor<6x8x4xi8>, tensor<2x8x32xi8>, tensor<6x17xi32>
  return
}

// -----
func.func @c1_steps(%rows: tensor<6x8x4xi8>, %weight: tensor<7x64xi8>, %sums: tensor<6x16xi32>) {
  // expected-error@+1 {{'tensor<7x64xi8>' and 'tensor<6x16xi32>' (C1)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes) : tensor<6x8x4xi8>, tensor<7x64xi8>, tensor<6x16xi32>
  return
}

// -----
func.func @c1_dynamic(%rows: tensor<?x8x4xi8>, %weight: tensor<8x64xi8>, %sums: tensor<?x16xi32>) {
  // expected-error@+1 {{all static and with positive M and N, found 'tensor<?x8x4xi8>'}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes) : tensor<?x8x4xi8>, tensor<8x64xi8>, tensor<?x16xi32>
  return
}

// -----
func.func @c1_rows(%rows: tensor<6x8x4xi8>, %weight: tensor<8x64xi8>, %sums: tensor<5x16xi32>) {
  // expected-error@+1 {{'tensor<8x64xi8>' and 'tensor<5x16xi32>' (C1)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes) : tensor<6x8x4xi8>, tensor<8x64xi8>, tensor<5x16xi32>
  return
}

// -----
func.func @c1_width(%rows: tensor<6x8x4xi8>, %weight: tensor<8x66xi8>, %sums: tensor<6x16xi32>) {
  // expected-error@+1 {{'tensor<8x66xi8>' and 'tensor<6x16xi32>' (C1)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes) : tensor<6x8x4xi8>, tensor<8x66xi8>, tensor<6x16xi32>
  return
}

// -----
func.func @c1_empty(%rows: tensor<0x8x4xi8>, %weight: tensor<8x64xi8>, %sums: tensor<0x16xi32>) {
  // expected-error@+1 {{with positive M and N, found 'tensor<0x8x4xi8>'}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes) : tensor<0x8x4xi8>, tensor<8x64xi8>, tensor<0x16xi32>
  return
}

// -----
func.func @c2(%rows: tensor<6x8x4xi8>, %weight: tensor<8x64xi8>, %sums: tensor<6x16xf32>) {
  // expected-error@+1 {{expects 'i8', 'i8' and 'i32' for #heddle.dot_bytes, found 'tensor<6x8x4xi8>', 'tensor<8x64xi8>' and 'tensor<6x16xf32>' (C2)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes) : tensor<6x8x4xi8>, tensor<8x64xi8>, tensor<6x16xf32>
  return
}

// -----
func.func @c3_short(%rows: tensor<6x8x4xi8>, %weight: tensor<8x64xi8>, %sums: tensor<6x16xi32>, %a: tensor<2xi8>) {
  // expected-error@+1 {{expects an element for every 3 of 8 steps, found 'tensor<2xi8>' (C3)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes)
    prefetch(%a : tensor<2xi8>) every [3] locality 3 : tensor<6x8x4xi8>, tensor<8x64xi8>, tensor<6x16xi32>
  return
}

// -----
func.func @c3_zero(%rows: tensor<6x8x4xi8>, %weight: tensor<8x64xi8>, %sums: tensor<6x16xi32>, %a: tensor<2xi8>) {
  // expected-error@+1 {{expects a positive number in `every` for each list of `prefetch` (C3)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes)
    prefetch(%a : tensor<2xi8>) every [0] locality 3 : tensor<6x8x4xi8>, tensor<8x64xi8>, tensor<6x16xi32>
  return
}

// -----
func.func @c3_lists(%rows: tensor<6x8x4xi8>, %weight: tensor<8x64xi8>, %sums: tensor<6x16xi32>, %a: tensor<8xi8>) {
  // expected-error@+1 {{expects a positive number in `every` for each list of `prefetch` (C3)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes)
    prefetch(%a : tensor<8xi8>) every [1, 2] locality 3 : tensor<6x8x4xi8>, tensor<8x64xi8>, tensor<6x16xi32>
  return
}

// -----
func.func @c3_locality(%rows: tensor<6x8x4xi8>, %weight: tensor<8x64xi8>, %sums: tensor<6x16xi32>, %a: tensor<8xi8>) {
  // expected-error@+1 {{expects a `locality` of 0 to 3, and 3 without `prefetch`, found 4 (C3)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes)
    prefetch(%a : tensor<8xi8>) every [1] locality 4 : tensor<6x8x4xi8>, tensor<8x64xi8>, tensor<6x16xi32>
  return
}

// -----
func.func @c4(%rows: memref<6x8x4xi8>, %weight: tensor<8x64xi8>, %sums: tensor<6x16xi32>) {
  // expected-error@+1 {{expects tensors and a result of the type of start, or buffers and no result (C4)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes) : memref<6x8x4xi8>, tensor<8x64xi8>, tensor<6x16xi32>
  return
}

// -----
func.func @c5_rows(%rows: tensor<17x16x2xbf16>, %weight: tensor<16x32xbf16>, %sums: tensor<17x16xf32>) {
  // expected-error@+1 {{expects multiples of 16 rows, 16 columns and 16 steps for #heddle.amx_bf16<steps = 16>, found 17, 16 and 16 (C5)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.amx_bf16<steps = 16>) : tensor<17x16x2xbf16>, tensor<16x32xbf16>, tensor<17x16xf32>
  return
}

// -----
func.func @c5_columns(%rows: tensor<16x16x2xbf16>, %weight: tensor<16x64xbf16>, %sums: tensor<16x20xf32>) {
  // expected-error@+1 {{found 16, 20 and 16 (C5)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.amx_bf16<steps = 16>) : tensor<16x16x2xbf16>, tensor<16x64xbf16>, tensor<16x20xf32>
  return
}

// -----
func.func @c5_steps(%rows: tensor<16x16x2xbf16>, %weight: tensor<16x32xbf16>, %sums: tensor<16x16xf32>) {
  // expected-error@+1 {{expects multiples of 16 rows, 16 columns and 12 steps for #heddle.amx_bf16<steps = 12>, found 16, 16 and 16 (C5)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.amx_bf16<steps = 12>) : tensor<16x16x2xbf16>, tensor<16x32xbf16>, tensor<16x16xf32>
  return
}

// -----
func.func @c5_no_steps(%rows: tensor<16x16x2xbf16>, %weight: tensor<16x32xbf16>, %sums: tensor<16x16xf32>) {
  // expected-error@+1 {{16 columns and 0 steps}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.amx_bf16<steps = 0>) : tensor<16x16x2xbf16>, tensor<16x32xbf16>, tensor<16x16xf32>
  return
}

// -----
func.func @c1_shared(%rows: tensor<6x8x4xi8>, %weight: tensor<8x64xi8>, %sums: tensor<6x16xi32>) {
  // expected-error@+1 {{expects rows [M, S, 4], a weight of S / 2 steps}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_nibbles<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]>) : tensor<6x8x4xi8>, tensor<8x64xi8>, tensor<6x16xi32>
  return
}

// -----
// Eight steps of values up to 12 do not fit into sums of 16 bits.
func.func @c2_sums(%rows: tensor<6x8x4xi8>, %weight: tensor<4x64xi8>, %sums: tensor<6x16xi32>) {
  // expected-error@+1 {{overflow after 5 steps, found 8 (C2)}}
  %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_nibbles<[0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12] unsigned = rows sum_bits = 16>) : tensor<6x8x4xi8>, tensor<4x64xi8>, tensor<6x16xi32>
  return
}

// -----
// expected-error@+1 {{expects 16 values from -128 to 127}}
func.func private @values() attributes {kind = #heddle.dot_nibbles<[1, 2]>}

// -----
// expected-error@+1 {{expects unsigned rows or no unsigned operand, since the values of the weight are signed}}
func.func private @side() attributes {kind = #heddle.dot_nibbles<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] unsigned = weight>}

// -----
// expected-error@+1 {{expects 16 or 32 sum_bits, found 8}}
func.func private @bits() attributes {kind = #heddle.dot_nibbles<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] sum_bits = 8>}
