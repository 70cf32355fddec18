// heddle.recurrent_attention with all optional operands is parsed, printed and parsed again. The name of each
// function except @gates begins with the label of the constraint (ops/RecurrentAttention.td) that it violates.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @gates
func.func @gates(%q: tensor<2x7x4x8xf32>, %k: tensor<2x7x2x8xf32>, %v: tensor<2x7x2x5xf32>, %g: tensor<2x7x2x8xf32>,
                 %b: tensor<2x7x1x1xf32>, %m: tensor<2x2x8x5xf32>) -> (tensor<2x7x4x5xf32>, tensor<2x2x8x5xf32>) {
  // CHECK: heddle.recurrent_attention %arg0, %arg1, %arg2 decay(%arg3) beta(%arg4) state(%arg5) scale(0.5) : (
  %0:2 = heddle.recurrent_attention %q, %k, %v scale(0.5) state(%m) beta(%b) decay(%g)
     : (tensor<2x7x4x8xf32>, tensor<2x7x2x8xf32>, tensor<2x7x2x5xf32>, tensor<2x7x2x8xf32>, tensor<2x7x1x1xf32>,
        tensor<2x2x8x5xf32>) -> (tensor<2x7x4x5xf32>, tensor<2x2x8x5xf32>)
  return %0#0, %0#1 : tensor<2x7x4x5xf32>, tensor<2x2x8x5xf32>
}

// -----
func.func @c1(%q: tensor<2x7x4x8xf32>, %m: tensor<4x8x8xf32>) {
  // expected-error@+1 {{state has rank 3, expected 4 (C1)}}
  %0:2 = heddle.recurrent_attention %q, %q, %q state(%m)
     : (tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<4x8x8xf32>)
    -> (tensor<2x7x4x8xf32>, tensor<2x4x8x8xf32>)
  return
}

// -----
func.func @c2(%q: tensor<2x7x4x8xf32>, %k: tensor<2x7x3x8xf32>) {
  // expected-error@+1 {{query has 4 heads, expected a multiple of key's 3 (C2)}}
  %0:2 = heddle.recurrent_attention %q, %k, %k
     : (tensor<2x7x4x8xf32>, tensor<2x7x3x8xf32>, tensor<2x7x3x8xf32>) -> (tensor<2x7x4x8xf32>, tensor<2x3x8x8xf32>)
  return
}

// -----
func.func @c2_positions(%q: tensor<2x7x4x8xf32>, %k: tensor<2x6x4x8xf32>) {
  // expected-error@+1 {{key has number of positions 6, expected 7 as in query (C2)}}
  %0:2 = heddle.recurrent_attention %q, %k, %k
     : (tensor<2x7x4x8xf32>, tensor<2x6x4x8xf32>, tensor<2x6x4x8xf32>) -> (tensor<2x7x4x8xf32>, tensor<2x4x8x8xf32>)
  return
}

// -----
func.func @c3(%q: tensor<2x7x4x8xf32>, %v: tensor<2x7x2x8xf32>) {
  // expected-error@+1 {{value has number of heads 2, expected 4 as in key (C3)}}
  %0:2 = heddle.recurrent_attention %q, %q, %v
     : (tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x2x8xf32>) -> (tensor<2x7x4x8xf32>, tensor<2x4x8x8xf32>)
  return
}

// -----
func.func @c4(%q: tensor<2x7x4x8xf32>, %g: tensor<2x7x4x2xf32>) {
  // expected-error@+1 {{decay has last dimension 2, expected 8 as in key (C4)}}
  %0:2 = heddle.recurrent_attention %q, %q, %q decay(%g)
     : (tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x2xf32>)
    -> (tensor<2x7x4x8xf32>, tensor<2x4x8x8xf32>)
  return
}

// -----
func.func @c5(%q: tensor<2x7x4x8xf32>, %b: tensor<2x7x2x1xf32>) {
  // expected-error@+1 {{beta has number of heads 2, expected 4 as in key (C5)}}
  %0:2 = heddle.recurrent_attention %q, %q, %q beta(%b)
     : (tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x2x1xf32>)
    -> (tensor<2x7x4x8xf32>, tensor<2x4x8x8xf32>)
  return
}

// -----
func.func @c6(%q: tensor<2x7x4x8xf32>, %m: tensor<2x4x8x9xf32>) {
  // expected-error@+1 {{state has shape [2, 4, 8, 9], expected [2, 4, 8, 8] (C6)}}
  %0:2 = heddle.recurrent_attention %q, %q, %q state(%m)
     : (tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x4x8x9xf32>)
    -> (tensor<2x7x4x8xf32>, tensor<2x4x8x8xf32>)
  return
}
