// RUN: heddle-opt %s --heddle-tile="target=cuda limits=subgroup=32" | FileCheck %s
// RUN: heddle-opt %s --heddle-tile="target=cuda limits=subgroup=32 strategy=softmax=softmax-row-tiles:min_blocks=32" | FileCheck %s --check-prefix=SMALL
// RUN: heddle-opt %s --heddle-tile="target=gpu limits=subgroup=0" | FileCheck %s --check-prefix=APART

// How rows are distributed over warps depends on the number of rows, their length, and the number of workgroups that
// fill a device, 128.

// With many rows, each of the four warps of a workgroup has one row.
// CHECK-LABEL: func @many
// CHECK: scf.forall ({{.*}}) in (150)
// CHECK: #heddle.fragments<#heddle.rows<f32, 32 x 4>, 4 x 1>} : tensor<4x4096xf32>
func.func @many(%x: tensor<600x4096xf32> {bufferization.writable = false},
                %out: tensor<600x4096xf32> {bufferization.writable = true}) -> tensor<600x4096xf32> attributes {heddle.kernel} {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<600x4096xf32>) outs(%out : tensor<600x4096xf32>) -> tensor<600x4096xf32>
  return %0 : tensor<600x4096xf32>
}

// With two warps for each row, there would be 514 warps, more than the 512 warps of 128 workgroups, so each row has one
// warp. With four rows in a workgroup, there would be fewer than 128 workgroups, so each workgroup has two.
// CHECK-LABEL: func @warp_a_row
// CHECK: scf.forall ({{.*}}) in (129)
// CHECK: #heddle.fragments<#heddle.rows<f32, 32 x 4>, 2 x 1>} : tensor<2x4096xf32>
func.func @warp_a_row(%x: tensor<257x4096xf32> {bufferization.writable = false},
                      %out: tensor<257x4096xf32> {bufferization.writable = true}) -> tensor<257x4096xf32> attributes {heddle.kernel} {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<257x4096xf32>) outs(%out : tensor<257x4096xf32>) -> tensor<257x4096xf32>
  return %0 : tensor<257x4096xf32>
}

// CHECK-LABEL: func @two_warps_a_row
// CHECK: scf.forall ({{.*}}) in (128)
// CHECK: #heddle.fragments<#heddle.rows<f32, 32 x 4>, 2 x 2>} : tensor<2x4096xf32>
// A smaller device, which 32 workgroups fill, is full even if each row has only one warp.
// SMALL-LABEL: func @two_warps_a_row
// SMALL: scf.forall ({{.*}}) in (64)
// SMALL: #heddle.fragments<#heddle.rows<f32, 32 x 4>, 4 x 1>} : tensor<4x4096xf32>
func.func @two_warps_a_row(%x: tensor<256x4096xf32> {bufferization.writable = false},
                           %out: tensor<256x4096xf32> {bufferization.writable = true}) -> tensor<256x4096xf32> attributes {heddle.kernel} {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<256x4096xf32>) outs(%out : tensor<256x4096xf32>) -> tensor<256x4096xf32>
  return %0 : tensor<256x4096xf32>
}

// With few rows, each workgroup has one row.
// CHECK-LABEL: func @workgroup_a_row
// CHECK: scf.forall ({{.*}}) in (128)
// CHECK: #heddle.fragments<#heddle.rows<f32, 32 x 4>, 1 x 4>} : tensor<1x4096xf32>
func.func @workgroup_a_row(%x: tensor<128x4096xf32> {bufferization.writable = false},
                           %out: tensor<128x4096xf32> {bufferization.writable = true}) -> tensor<128x4096xf32> attributes {heddle.kernel} {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<128x4096xf32>) outs(%out : tensor<128x4096xf32>) -> tensor<128x4096xf32>
  return %0 : tensor<128x4096xf32>
}

// If warps share a row, each of them has at least 1024 elements of the row.
// CHECK-LABEL: func @short_parts
// CHECK: scf.forall ({{.*}}) in (3)
// CHECK: #heddle.fragments<#heddle.rows<f32, 32 x 4>, 1 x 2>} : tensor<1x4096xf32>
func.func @short_parts(%x: tensor<3x4092xf32> {bufferization.writable = false},
                       %out: tensor<3x4092xf32> {bufferization.writable = true}) -> tensor<3x4092xf32> attributes {heddle.kernel} {
  %0 = heddle.rms_norm %x : (tensor<3x4092xf32>) -> tensor<3x4092xf32>
  return %0 : tensor<3x4092xf32>
}

// CHECK-LABEL: func @short_rows
// CHECK: scf.forall ({{.*}}) in (3)
// CHECK: #heddle.fragments<#heddle.rows<f32, 32 x 2>, 1 x 1>} : tensor<1x2048xf32>
func.func @short_rows(%x: tensor<3x2046xf32> {bufferization.writable = false},
                      %out: tensor<3x2046xf32> {bufferization.writable = true}) -> tensor<3x2046xf32> attributes {heddle.kernel} {
  %0 = heddle.rms_norm %x : (tensor<3x2046xf32>) -> tensor<3x2046xf32>
  return %0 : tensor<3x2046xf32>
}

// A row of 30 elements is distributed over sixteen lanes, so a warp has two rows. If lanes cannot exchange results by
// shuffles, eight lanes share a row, or more if a lane would otherwise have more than 64 elements of the row.
// APART-LABEL: func @short_rows
// APART: #heddle.fragments<#heddle.rows<f32, 32 x 2>, 1 x 1>} : tensor<1x2048xf32>
// APART-LABEL: func @several_rows_a_warp
// APART: #heddle.fragments<#heddle.rows<f32, 8 x 2>, 1 x 1>} : tensor<4x32xf32>
// CHECK-LABEL: func @several_rows_a_warp
// CHECK: scf.forall ({{.*}}) in (128)
// CHECK: #heddle.fragments<#heddle.rows<f32, 16 x 2>, 2 x 1>} : tensor<4x32xf32>
func.func @several_rows_a_warp(%x: tensor<509x30xf32> {bufferization.writable = false},
                               %out: tensor<509x30xf32> {bufferization.writable = true}) -> tensor<509x30xf32> attributes {heddle.kernel} {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<509x30xf32>) outs(%out : tensor<509x30xf32>) -> tensor<509x30xf32>
  return %0 : tensor<509x30xf32>
}

// If rows share a scale or a bias, each warp reads these for as many rows as a lane has registers for, 128 elements,
// while there are enough workgroups.
// CHECK-LABEL: func @shared_scale
// CHECK: scf.forall ({{.*}}) in (150)
// CHECK: #heddle.fragments<#heddle.rows<f32, 32 x 4>, 4 x 1>} : tensor<16x1024xf32>
func.func @shared_scale(%x: tensor<2400x1024xf32> {bufferization.writable = false},
                        %scale: tensor<1024xf32> {bufferization.writable = false},
                        %out: tensor<2400x1024xf32> {bufferization.writable = true}) -> tensor<2400x1024xf32> attributes {heddle.kernel} {
  %0 = heddle.rms_norm %x scale(%scale) : (tensor<2400x1024xf32>, tensor<1024xf32>) -> tensor<2400x1024xf32>
  return %0 : tensor<2400x1024xf32>
}

// With four rows to a warp, there would be fewer than 128 workgroups.
// CHECK-LABEL: func @fewer_rows
// CHECK: scf.forall ({{.*}}) in (254)
// CHECK: #heddle.fragments<#heddle.rows<f32, 32 x 4>, 4 x 1>} : tensor<8x1024xf32>
func.func @fewer_rows(%x: tensor<2032x1024xf32> {bufferization.writable = false},
                      %bias: tensor<1024xf32> {bufferization.writable = false},
                      %out: tensor<2032x1024xf32> {bufferization.writable = true}) -> tensor<2032x1024xf32> attributes {heddle.kernel} {
  %0 = heddle.layer_norm %x bias(%bias) : (tensor<2032x1024xf32>, tensor<1024xf32>) -> tensor<2032x1024xf32>
  return %0 : tensor<2032x1024xf32>
}

// In these two layers, each warp has one row: in the first layer, rows share no scale or bias, and in the second layer,
// a row of 4096 elements needs all 128 registers of each lane.
// CHECK-LABEL: func @nothing_shared
// CHECK: #heddle.fragments<#heddle.rows<f32, 32 x 4>, 4 x 1>} : tensor<4x1024xf32>
func.func @nothing_shared(%x: tensor<2400x1024xf32> {bufferization.writable = false},
                          %out: tensor<2400x1024xf32> {bufferization.writable = true}) -> tensor<2400x1024xf32> attributes {heddle.kernel} {
  %0 = heddle.rms_norm %x : (tensor<2400x1024xf32>) -> tensor<2400x1024xf32>
  return %0 : tensor<2400x1024xf32>
}
// CHECK-LABEL: func @no_registers
// CHECK: #heddle.fragments<#heddle.rows<f32, 32 x 4>, 4 x 1>} : tensor<4x4096xf32>
func.func @no_registers(%x: tensor<2400x4096xf32> {bufferization.writable = false},
                        %scale: tensor<4096xf32> {bufferization.writable = false},
                        %out: tensor<2400x4096xf32> {bufferization.writable = true}) -> tensor<2400x4096xf32> attributes {heddle.kernel} {
  %0 = heddle.rms_norm %x scale(%scale) : (tensor<2400x4096xf32>, tensor<4096xf32>) -> tensor<2400x4096xf32>
  return %0 : tensor<2400x4096xf32>
}

// Longer rows, here of 4097 elements, are left to the strategies for all GPUs.
// CHECK-LABEL: func @long
// CHECK-NOT: heddle.fragments
func.func @long(%x: tensor<600x4097xf32> {bufferization.writable = false},
                %out: tensor<600x4097xf32> {bufferization.writable = true}) -> tensor<600x4097xf32> attributes {heddle.kernel} {
  %0 = heddle.rms_norm %x : (tensor<600x4097xf32>) -> tensor<600x4097xf32>
  return %0 : tensor<600x4097xf32>
}

// Operands that are stored as narrower floats are widened element by element, not in memory.
// CHECK-LABEL: func @stored
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x40xbf16>) outs(%{{.*}} : tensor<4x40xf32>)
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: linalg.generic {{.*}} tensor<40xbf16>, tensor<40xbf16>)
// CHECK-COUNT-2: arith.extf %{{.*}} : bf16 to f32
func.func @stored(%x: tensor<600x40xbf16> {bufferization.writable = false},
                  %scale: tensor<40xbf16> {bufferization.writable = false},
                  %bias: tensor<40xbf16> {bufferization.writable = false},
                  %residual: tensor<600x40xbf16> {bufferization.writable = false},
                  %out: tensor<600x40xf32> {bufferization.writable = true}) -> tensor<600x40xf32> attributes {heddle.kernel} {
  %0 = heddle.dequantize %x : tensor<600x40xbf16> -> tensor<600x40xf32>
  %1 = heddle.dequantize %scale : tensor<40xbf16> -> tensor<40xf32>
  %2 = heddle.dequantize %bias : tensor<40xbf16> -> tensor<40xf32>
  %3 = heddle.dequantize %residual : tensor<600x40xbf16> -> tensor<600x40xf32>
  %4 = heddle.layer_norm %0 scale(%1) bias(%2) residual(%3)
       : (tensor<600x40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<600x40xf32>) -> tensor<600x40xf32>
  return %4 : tensor<600x40xf32>
}
