// Canonicalization of heddle.attention, heddle.linear and heddle.layer_norm.
// RUN: heddle-opt %s -canonicalize | FileCheck %s

// Operands and attributes without effect are removed, so that lowerings need not check for them.
// CHECK-LABEL: @neutral
func.func @neutral(%q: tensor<1x2x4x16xf32>, %w: tensor<16x16xf32>) -> (tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %row = arith.constant dense<0.0> : tensor<4xf32>
  %all = arith.constant dense<true> : tensor<4xi1>
  // CHECK: heddle.attention %arg0, %arg0, %arg0 : (
  %0 = heddle.attention %q, %q, %q bias(%row) mask(%all) masked_score(-1.0e9) scale(0.25) window(*, *)
     : (tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>, tensor<4xf32>, tensor<4xi1>) -> tensor<1x2x4x16xf32>
  // CHECK: heddle.linear %{{.*}}, %arg1 activation(relu) : (
  %1 = heddle.linear %q, %w bias(%zero) activation(relu) : (tensor<1x2x4x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x2x4x16xf32>
  // CHECK: heddle.layer_norm %{{.*}} : (
  %2 = heddle.layer_norm %1 scale(%one) bias(%zero) : (tensor<1x2x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x2x4x16xf32>
  return %0, %1, %2 : tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>
}

// Operands and attributes that may have an effect are kept.
// CHECK-LABEL: @kept
func.func @kept(%q: tensor<1x2x4x16xf32>, %m: tensor<4xi1>) -> tensor<1x2x4x16xf32> {
  %half = arith.constant dense<[0.0, 0.0, 0.0, 1.0]> : tensor<4xf32>
  // CHECK: heddle.attention %arg0, %arg0, %arg0 bias(%{{.*}}) mask(%arg1) scale(0.26) masked_score(-1.0e+09)
  %0 = heddle.attention %q, %q, %q bias(%half) mask(%m) masked_score(-1.0e9) scale(0.26)
     : (tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>, tensor<4xf32>, tensor<4xi1>) -> tensor<1x2x4x16xf32>
  return %0 : tensor<1x2x4x16xf32>
}

// A window whose right extent is 0 becomes causal, and an extent that has no effect because of `causal` is removed.
// CHECK-LABEL: @window
func.func @window(%q: tensor<1x2x4x16xf32>) -> (tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>) {
  // CHECK: heddle.attention %arg0, %arg0, %arg0 causal(lower_right) window(2, *) : (
  %0 = heddle.attention %q, %q, %q window(2, 0) : (tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>) -> tensor<1x2x4x16xf32>
  // CHECK: heddle.attention %arg0, %arg0, %arg0 causal(upper_left) : (
  %1 = heddle.attention %q, %q, %q causal(upper_left) window(*, 3) : (tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>) -> tensor<1x2x4x16xf32>
  return %0, %1 : tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>
}

// The second result of an attention, the probabilities, is removed if it is unused.
// CHECK-LABEL: @unused_weights
func.func @unused_weights(%q: tensor<1x2x4x16xf32>) -> tensor<1x2x4x16xf32> {
  // CHECK: heddle.attention %arg0, %arg0, %arg0 causal(lower_right) : ({{.*}}) -> tensor<1x2x4x16xf32>
  %0:2 = heddle.attention %q, %q, %q causal(lower_right) with_weights
     : (tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>) -> (tensor<1x2x4x16xf32>, tensor<1x2x4x4xf32>)
  return %0#0 : tensor<1x2x4x16xf32>
}
