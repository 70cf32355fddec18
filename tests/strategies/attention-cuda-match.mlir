// RUN: heddle-opt %s --heddle-tile=target=cuda | FileCheck %s

// The test checks which strategy is chosen on CUDA by default for attention with 64 queries: attention-tiles,
// attention-matrix-tiles or, if neither of them is eligible, attention-blocks. With few queries, other strategies are
// chosen (tests/targets/cuda/parts.test).

// CHECK-LABEL: func.func private @plain(
// CHECK-SAME: name = "attention-tiles"
func.func private @plain(%q: tensor<1x2x64x16xf32>, %k: tensor<1x2x64x16xf32>, %v: tensor<1x2x64x16xf32>,
    %out: tensor<1x2x64x16xf32> {bufferization.writable = true}) -> tensor<1x2x64x16xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v
    : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x64x16xf32>
  return %0 : tensor<1x2x64x16xf32>
}
// CHECK-LABEL: func.func private @causal(
// CHECK-SAME: name = "attention-tiles"
func.func private @causal(%q: tensor<1x2x64x16xf32>, %k: tensor<1x2x64x16xf32>, %v: tensor<1x2x64x16xf32>,
    %out: tensor<1x2x64x16xf32> {bufferization.writable = true}) -> tensor<1x2x64x16xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v causal(lower_right) window(20, *) softcap(5.0)
    : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x64x16xf32>
  return %0 : tensor<1x2x64x16xf32>
}
// CHECK-LABEL: func.func private @largest_head(
// CHECK-SAME: name = "attention-tiles"
func.func private @largest_head(%q: tensor<1x2x64x192xf32>, %k: tensor<1x2x64x192xf32>, %v: tensor<1x2x64x192xf32>,
    %out: tensor<1x2x64x192xf32> {bufferization.writable = true}) -> tensor<1x2x64x192xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v
    : (tensor<1x2x64x192xf32>, tensor<1x2x64x192xf32>, tensor<1x2x64x192xf32>) -> tensor<1x2x64x192xf32>
  return %0 : tensor<1x2x64x192xf32>
}
// CHECK-LABEL: func.func private @rounded(
// CHECK-SAME: name = "attention-matrix-tiles"
func.func private @rounded(%q: tensor<1x2x64x16xf32>, %k: tensor<1x2x64x16xf32>, %v: tensor<1x2x64x16xf32>,
    %out: tensor<1x2x64x16xf32> {bufferization.writable = true}) -> tensor<1x2x64x16xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v rounding(bf16)
    : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x64x16xf32>
  return %0 : tensor<1x2x64x16xf32>
}
// CHECK-LABEL: func.func private @rounded_to_f16(
// CHECK-SAME: name = "attention-matrix-tiles"
func.func private @rounded_to_f16(%q: tensor<1x2x64x16xf32>, %k: tensor<1x2x64x16xf32>, %v: tensor<1x2x64x16xf32>,
    %out: tensor<1x2x64x16xf32> {bufferization.writable = true}) -> tensor<1x2x64x16xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v rounding(f16)
    : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x64x16xf32>
  return %0 : tensor<1x2x64x16xf32>
}
// CHECK-LABEL: func.func private @large_head(
// CHECK-SAME: name = "attention-blocks"
func.func private @large_head(%q: tensor<1x2x64x193xf32>, %k: tensor<1x2x64x193xf32>, %v: tensor<1x2x64x193xf32>,
    %out: tensor<1x2x64x193xf32> {bufferization.writable = true}) -> tensor<1x2x64x193xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v
    : (tensor<1x2x64x193xf32>, tensor<1x2x64x193xf32>, tensor<1x2x64x193xf32>) -> tensor<1x2x64x193xf32>
  return %0 : tensor<1x2x64x193xf32>
}
// CHECK-LABEL: func.func private @double(
// CHECK-SAME: name = "attention-blocks"
func.func private @double(%q: tensor<1x2x64x16xf64>, %k: tensor<1x2x64x16xf64>, %v: tensor<1x2x64x16xf64>,
    %out: tensor<1x2x64x16xf64> {bufferization.writable = true}) -> tensor<1x2x64x16xf64> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v
    : (tensor<1x2x64x16xf64>, tensor<1x2x64x16xf64>, tensor<1x2x64x16xf64>) -> tensor<1x2x64x16xf64>
  return %0 : tensor<1x2x64x16xf64>
}
// CHECK-LABEL: func.func private @softmax_in_f64(
// CHECK-SAME: name = "attention-blocks"
func.func private @softmax_in_f64(%q: tensor<1x2x64x16xf32>, %k: tensor<1x2x64x16xf32>, %v: tensor<1x2x64x16xf32>,
    %out: tensor<1x2x64x16xf32> {bufferization.writable = true}) -> tensor<1x2x64x16xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v softmax_precision(f64)
    : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x64x16xf32>
  return %0 : tensor<1x2x64x16xf32>
}
// CHECK-LABEL: func.func private @probabilities(
// CHECK-SAME: name = "attention-blocks"
func.func private @probabilities(%q: tensor<1x2x64x16xf32>, %k: tensor<1x2x64x16xf32>, %v: tensor<1x2x64x16xf32>,
    %out: tensor<1x2x64x16xf32> {bufferization.writable = true}, %p: tensor<1x2x64x64xf32> {bufferization.writable = true}) -> (tensor<1x2x64x16xf32>, tensor<1x2x64x64xf32>) attributes {heddle.kernel} {
  %0:2 = heddle.attention %q, %k, %v with_weights
    : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>) -> (tensor<1x2x64x16xf32>, tensor<1x2x64x64xf32>)
  return %0#0, %0#1 : tensor<1x2x64x16xf32>, tensor<1x2x64x64xf32>
}
// CHECK-LABEL: func.func private @score_region(
// CHECK-SAME: name = "attention-tiles"
func.func private @score_region(%q: tensor<1x2x64x16xf32>, %k: tensor<1x2x64x16xf32>, %v: tensor<1x2x64x16xf32>,
    %out: tensor<1x2x64x16xf32> {bufferization.writable = true}) -> tensor<1x2x64x16xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    %y = arith.mulf %x, %x : f32
    heddle.yield %y : f32
  }
    : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x64x16xf32>
  return %0 : tensor<1x2x64x16xf32>
}
// CHECK-LABEL: func.func private @probability_region(
// CHECK-SAME: name = "attention-blocks"
func.func private @probability_region(%q: tensor<1x2x64x16xf32>, %k: tensor<1x2x64x16xf32>, %v: tensor<1x2x64x16xf32>,
    %out: tensor<1x2x64x16xf32> {bufferization.writable = true}) -> tensor<1x2x64x16xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v probability {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    %y = arith.mulf %x, %x : f32
    heddle.yield %y : f32
  }
    : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x64x16xf32>
  return %0 : tensor<1x2x64x16xf32>
}
