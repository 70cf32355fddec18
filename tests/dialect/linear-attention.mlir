// heddle.linear_attention is parsed, printed and parsed again. The name of each function except @knobs is the label of
// the constraint in ops/LinearAttention.td that the function violates.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @knobs
func.func @knobs(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>) -> tensor<2x3x6xf32> {
  // CHECK: heddle.linear_attention %arg0, %arg1, %arg2 scale(0.5) feature_map(identity) normalized : (
  %0 = heddle.linear_attention %q, %k, %v normalized feature_map(identity) scale(0.5)
     : (tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>) -> tensor<2x3x6xf32>
  return %0 : tensor<2x3x6xf32>
}

// -----
func.func @c1(%q: tensor<2x3x4xf32>, %k: tensor<5x4xf32>) {
  // expected-error@+1 {{key has rank 2, expected 3 (C1)}}
  %0 = heddle.linear_attention %q, %k, %k : (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----
func.func @c2(%q: tensor<2x3x4xf32>, %k: tensor<1x5x4xf32>) {
  // expected-error@+1 {{key has leading dimension #0 1, expected 2 as in query (C2)}}
  %0 = heddle.linear_attention %q, %k, %k : (tensor<2x3x4xf32>, tensor<1x5x4xf32>, tensor<1x5x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----
func.func @c3(%q: tensor<3x4xf32>, %k: tensor<5x6xf32>) {
  // expected-error@+1 {{key has head size 6, expected 4 as in query (C3)}}
  %0 = heddle.linear_attention %q, %k, %k : (tensor<3x4xf32>, tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return
}

// -----
func.func @c4(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>) {
  // expected-error@+1 {{value has number of positions 3, expected 5 as in key (C4)}}
  %0 = heddle.linear_attention %q, %k, %q : (tensor<3x4xf32>, tensor<5x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
