// RUN: heddle-opt %s --heddle-tile="target=cuda strategy=linear=linear-tiles" --split-input-file | FileCheck %s

// A layer of bf16 has as many blocks of rows and of columns as a layer of f32 (the first two numbers of the loop). The
// contraction of a layer with few blocks is divided into parts (the third number), whose sums a second loop adds.
// CHECK-LABEL: @f32_128_384
// CHECK: scf.forall ({{.*}}) in (2, 6, 24)
// CHECK: scf.forall ({{.*}}) in (32, 3)
func.func private @f32_128_384(%x: tensor<128x1536xf32>, %w: tensor<1536x384xf32>,
    %out: tensor<128x384xf32> {bufferization.writable = true}) -> tensor<128x384xf32> attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<128x1536xf32>, tensor<1536x384xf32>) -> tensor<128x384xf32>
  return %0 : tensor<128x384xf32>
}

// -----
// CHECK-LABEL: @bf16_128_384
// CHECK: scf.forall ({{.*}}) in (2, 6, 24)
func.func private @bf16_128_384(%x: tensor<128x1536xbf16>, %w: tensor<1536x384xbf16>,
    %out: tensor<128x384xf32> {bufferization.writable = true}) -> tensor<128x384xf32> attributes {heddle.kernel} {
  %0 = heddle.dequantize %x : tensor<128x1536xbf16> -> tensor<128x1536xf32>
  %1 = heddle.dequantize %w : tensor<1536x384xbf16> -> tensor<1536x384xf32>
  %2 = heddle.linear %0, %1 : (tensor<128x1536xf32>, tensor<1536x384xf32>) -> tensor<128x384xf32>
  return %2 : tensor<128x384xf32>
}

// -----
// CHECK-LABEL: @f32_128_1536
// CHECK: scf.forall ({{.*}}) in (2, 24, 6)
func.func private @f32_128_1536(%x: tensor<128x384xf32>, %w: tensor<384x1536xf32>,
    %out: tensor<128x1536xf32> {bufferization.writable = true}) -> tensor<128x1536xf32> attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<128x384xf32>, tensor<384x1536xf32>) -> tensor<128x1536xf32>
  return %0 : tensor<128x1536xf32>
}

// -----
// CHECK-LABEL: @bf16_128_1536
// CHECK: scf.forall ({{.*}}) in (2, 24, 6)
func.func private @bf16_128_1536(%x: tensor<128x384xbf16>, %w: tensor<384x1536xbf16>,
    %out: tensor<128x1536xf32> {bufferization.writable = true}) -> tensor<128x1536xf32> attributes {heddle.kernel} {
  %0 = heddle.dequantize %x : tensor<128x384xbf16> -> tensor<128x384xf32>
  %1 = heddle.dequantize %w : tensor<384x1536xbf16> -> tensor<384x1536xf32>
  %2 = heddle.linear %0, %1 : (tensor<128x384xf32>, tensor<384x1536xf32>) -> tensor<128x1536xf32>
  return %2 : tensor<128x1536xf32>
}

// -----
// CHECK-LABEL: @f32_512_512
// CHECK: scf.forall ({{.*}}) in (8, 8, 5)
func.func private @f32_512_512(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>,
    %out: tensor<512x512xf32> {bufferization.writable = true}) -> tensor<512x512xf32> attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----
// CHECK-LABEL: @bf16_512_512
// CHECK: scf.forall ({{.*}}) in (8, 8, 6)
func.func private @bf16_512_512(%x: tensor<512x512xbf16>, %w: tensor<512x512xbf16>,
    %out: tensor<512x512xf32> {bufferization.writable = true}) -> tensor<512x512xf32> attributes {heddle.kernel} {
  %0 = heddle.dequantize %x : tensor<512x512xbf16> -> tensor<512x512xf32>
  %1 = heddle.dequantize %w : tensor<512x512xbf16> -> tensor<512x512xf32>
  %2 = heddle.linear %0, %1 : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %2 : tensor<512x512xf32>
}

// -----
// CHECK-LABEL: @f32_2048_2048
// CHECK: scf.forall ({{.*}}) in (16, 16)
func.func private @f32_2048_2048(%x: tensor<2048x64xf32>, %w: tensor<64x2048xf32>,
    %out: tensor<2048x2048xf32> {bufferization.writable = true}) -> tensor<2048x2048xf32> attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<2048x64xf32>, tensor<64x2048xf32>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

// -----
// CHECK-LABEL: @bf16_2048_2048
// CHECK: scf.forall ({{.*}}) in (16, 16)
func.func private @bf16_2048_2048(%x: tensor<2048x64xbf16>, %w: tensor<64x2048xbf16>,
    %out: tensor<2048x2048xf32> {bufferization.writable = true}) -> tensor<2048x2048xf32> attributes {heddle.kernel} {
  %0 = heddle.dequantize %x : tensor<2048x64xbf16> -> tensor<2048x64xf32>
  %1 = heddle.dequantize %w : tensor<64x2048xbf16> -> tensor<64x2048xf32>
  %2 = heddle.linear %0, %1 : (tensor<2048x64xf32>, tensor<64x2048xf32>) -> tensor<2048x2048xf32>
  return %2 : tensor<2048x2048xf32>
}

// -----
// Blocks of 32 columns have less padding than blocks of 64 columns.
// CHECK-LABEL: @f32_1000_70
// CHECK: scf.forall ({{.*}}) in (16, 3)
func.func private @f32_1000_70(%x: tensor<1000x64xf32>, %w: tensor<64x70xf32>,
    %out: tensor<1000x70xf32> {bufferization.writable = true}) -> tensor<1000x70xf32> attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<1000x64xf32>, tensor<64x70xf32>) -> tensor<1000x70xf32>
  return %0 : tensor<1000x70xf32>
}

// -----
// CHECK-LABEL: @bf16_1000_70
// CHECK: scf.forall ({{.*}}) in (16, 3)
func.func private @bf16_1000_70(%x: tensor<1000x64xbf16>, %w: tensor<64x70xbf16>,
    %out: tensor<1000x70xf32> {bufferization.writable = true}) -> tensor<1000x70xf32> attributes {heddle.kernel} {
  %0 = heddle.dequantize %x : tensor<1000x64xbf16> -> tensor<1000x64xf32>
  %1 = heddle.dequantize %w : tensor<64x70xbf16> -> tensor<64x70xf32>
  %2 = heddle.linear %0, %1 : (tensor<1000x64xf32>, tensor<64x70xf32>) -> tensor<1000x70xf32>
  return %2 : tensor<1000x70xf32>
}
