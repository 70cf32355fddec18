// heddle.rotary_embedding is parsed, printed and parsed again. The name of each function except @knobs is the label of
// the constraint in ops/RotaryEmbedding.td that the function violates.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @knobs
func.func @knobs(%x: tensor<2x16x3x8xf32>, %c: tensor<2x16x3xf32>) -> tensor<2x16x3x8xf32> {
  // CHECK: heddle.rotary_embedding %arg0, %arg1, %arg1 interleaved layout(bshd) : (
  %0 = heddle.rotary_embedding %x, %c, %c layout(bshd) interleaved
     : (tensor<2x16x3x8xf32>, tensor<2x16x3xf32>, tensor<2x16x3xf32>) -> tensor<2x16x3x8xf32>
  return %0 : tensor<2x16x3x8xf32>
}

// -----
func.func @c1(%x: tensor<16x3x8xf32>, %c: tensor<16x4xf32>) {
  // expected-error@+1 {{input has rank 3, expected 4 (C1)}}
  %0 = heddle.rotary_embedding %x, %c, %c : (tensor<16x3x8xf32>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x3x8xf32>
  return
}

// -----
func.func @c2(%x: tensor<2x3x16x8xf32>, %c: tensor<16x4xf32>, %s: tensor<16x3xf32>) {
  // expected-error@+1 {{sine has shape [16, 3], expected [16, 4] (C2)}}
  %0 = heddle.rotary_embedding %x, %c, %s : (tensor<2x3x16x8xf32>, tensor<16x4xf32>, tensor<16x3xf32>) -> tensor<2x3x16x8xf32>
  return
}

// -----
func.func @c3(%x: tensor<2x3x16x8xf32>, %c: tensor<3x4xf32>) {
  // expected-error@+1 {{cosine has number of positions 3, expected 16 as in input (C3)}}
  %0 = heddle.rotary_embedding %x, %c, %c : (tensor<2x3x16x8xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x16x8xf32>
  return
}

// -----
func.func @c4(%x: tensor<2x3x16x8xf32>, %c: tensor<16x5xf32>) {
  // expected-error@+1 {{cosine has last dimension 5, expected at most half of input's head size 8 (C4)}}
  %0 = heddle.rotary_embedding %x, %c, %c : (tensor<2x3x16x8xf32>, tensor<16x5xf32>, tensor<16x5xf32>) -> tensor<2x3x16x8xf32>
  return
}
