// Each function violates one constraint of heddle.attention. Its name begins with the label of the constraint in
// ops/Attention.td. The functions without a label test the result type, the words of two attributes, and values that a
// region uses from outside.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%q: tensor<2x4x8xf32>, %k: tensor<1x2x6x8xf32>) {
  // expected-error@+1 {{query has rank 3, expected 4 (C1)}}
  %0 = heddle.attention %q, %k, %k : (tensor<2x4x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c1_element(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x6x8xf16>) {
  // expected-error@+1 {{key has element type 'f16', expected 'f32' as in query (C1)}}
  %0 = heddle.attention %q, %k, %k : (tensor<1x2x4x8xf32>, tensor<1x2x6x8xf16>, tensor<1x2x6x8xf16>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c1_head_size(%q: tensor<1x2x4x0xf32>) {
  // expected-error@+1 {{query has head size 0, expected at least 1 (C1)}}
  %0 = heddle.attention %q, %q, %q : (tensor<1x2x4x0xf32>, tensor<1x2x4x0xf32>, tensor<1x2x4x0xf32>) -> tensor<1x2x4x0xf32>
  return
}

// -----
func.func @c2(%q: tensor<1x2x4x8xf32>, %k: tensor<2x2x6x8xf32>) {
  // expected-error@+1 {{key has batch size 2, expected 1 as in query (C2)}}
  %0 = heddle.attention %q, %k, %k : (tensor<1x2x4x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c3_value(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<1x1x6x8xf32>) {
  // expected-error@+1 {{value has number of heads 1, expected 2 as in key (C3)}}
  %0 = heddle.attention %q, %k, %v : (tensor<1x2x4x8xf32>, tensor<1x2x6x8xf32>, tensor<1x1x6x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c3_groups(%q: tensor<1x5x4x8xf32>, %k: tensor<1x2x6x8xf32>) {
  // expected-error@+1 {{query has 5 heads, expected a multiple of key's 2 (C3)}}
  %0 = heddle.attention %q, %k, %k : (tensor<1x5x4x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>) -> tensor<1x5x4x8xf32>
  return
}

// -----
func.func @c4(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x6x4xf32>) {
  // expected-error@+1 {{key has head size 4, expected 8 as in query (C4)}}
  %0 = heddle.attention %q, %k, %k : (tensor<1x2x4x8xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----
func.func @c5(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<1x2x5x8xf32>) {
  // expected-error@+1 {{value has number of positions 5, expected 6 as in key (C5)}}
  %0 = heddle.attention %q, %k, %v : (tensor<1x2x4x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c6(%q: tensor<1x2x4x8xf32>, %b: tensor<4x5xf32>) {
  // expected-error@+1 {{bias has shape [4, 5], expected one that broadcasts to [1, 2, 4, 4] (C6)}}
  %0 = heddle.attention %q, %q, %q bias(%b) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<4x5xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c7(%q: tensor<1x2x4x8xf32>, %m: tensor<1x1x2x4x4xi1>) {
  // expected-error@+1 {{mask has shape [1, 1, 2, 4, 4], expected one that broadcasts to [1, 2, 4, 4] (C7)}}
  %0 = heddle.attention %q, %q, %q mask(%m) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x1x2x4x4xi1>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c8(%q: tensor<1x2x4x8xf32>, %l: tensor<3xi64>) {
  // expected-error@+1 {{key_lengths has shape [3], expected [1] (C8)}}
  %0 = heddle.attention %q, %q, %q key_lengths(%l) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<3xi64>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c9(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{window has extent -2, expected at least -1, where -1 means no limit (C9)}}
  %0 = heddle.attention %q, %q, %q window(-2, *) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c9_count(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{expected 2 extents in window, found 1 (C9)}}
  %0 = heddle.attention %q, %q, %q {window = array<i64: 2>} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c10(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{softcap is 0.000000e+00, expected a positive finite number (C10)}}
  %0 = heddle.attention %q, %q, %q softcap(0.0) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @result(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<1x2x4x8xf32>' are incompatible with return type(s) of operation 'tensor<1x2x4x9xf32>'}}
  %0 = heddle.attention %q, %q, %q : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x9xf32>
  return
}

// -----
func.func @word(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{expected one of [none, lower_right, upper_left]}}
  %0 = heddle.attention %q, %q, %q causal(lower_left) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @empty_row(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{expected one of [zeros, nan, nan_to_zeros]}}
  %0 = heddle.attention %q, %q, %q empty_row(zero) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c11(%q: tensor<1x2x4x8xf32>, %m: tensor<4xi1>, %r: tensor<3x1x1xf32>) {
  // expected-error@+1 {{tensor 1 of reads has shape [3, 1, 1], expected one that broadcasts to [1, 2, 4, 4] (C11)}}
  %0 = heddle.attention %q, %q, %q reads(%m, %r) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %x: i1, %y: f32):
    heddle.yield %s : f32
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<4xi1>, tensor<3x1x1xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c11_region(%q: tensor<1x2x4x8xf32>, %r: tensor<2x1x1xf32>) {
  // expected-error@+1 {{has `reads`, but no region that uses them (C11)}}
  %0 = heddle.attention %q, %q, %q reads(%r) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c12_arguments(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{score takes ('f32', 'index'), expected ('f32', 'index', 'index', 'index', 'index') (C12)}}
  %0 = heddle.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index):
    heddle.yield %s : f32
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c12_read(%q: tensor<1x2x4x8xf32>, %r: tensor<2x1x1xf16>) {
  // expected-error@+1 {{probability takes ('f32', 'index', 'index', 'index', 'index', 'f64'), expected ('f32', 'index', 'index', 'index', 'index', 'f32') (C12)}}
  %0 = heddle.attention %q, %q, %q reads(%r) probability {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %r0: f64):
    heddle.yield %s : f32
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<2x1x1xf16>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c12_yield(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{score must end by yielding one 'f32' (C12)}}
  %0 = heddle.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    heddle.yield %i : index
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c12_end(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{score must end by yielding one 'f32' (C12)}}
  %0 = heddle.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c13(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{score has 'tensor.empty', expected constants and elementwise operations on scalars (C13)}}
  %0 = heddle.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %e = tensor.empty() : tensor<f32>
    %x = tensor.extract %e[] : tensor<f32>
    heddle.yield %s : f32
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c13_scalar(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{score has 'arith.constant', expected constants and elementwise operations on scalars (C13)}}
  %0 = heddle.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %e = arith.constant dense<1.0> : tensor<2xf32>
    heddle.yield %s : f32
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @isolated(%q: tensor<1x2x4x8xf32>, %x: f32) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = heddle.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error@+1 {{using value defined outside the region}}
    %y = arith.addf %s, %x : f32
    heddle.yield %y : f32
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c14_type(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{rounding to 'f8E4M3FN', expected bf16 or f16 (C14)}}
  %0 = heddle.attention %q, %q, %q rounding(f8E4M3FN)
    : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c14_elements(%q: tensor<1x2x4x8xf64>) {
  // expected-error@+1 {{rounding requires elements of f32 and a softmax in f32, found 'f64' and f32 (C14)}}
  %0 = heddle.attention %q, %q, %q rounding(bf16)
    : (tensor<1x2x4x8xf64>, tensor<1x2x4x8xf64>, tensor<1x2x4x8xf64>) -> tensor<1x2x4x8xf64>
  return
}

// -----
func.func @c14_softmax(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{rounding requires elements of f32 and a softmax in f32, found 'f32' and f64 (C14)}}
  %0 = heddle.attention %q, %q, %q softmax_precision(f64) rounding(bf16)
    : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----
func.func @c14_weights(%q: tensor<1x2x4x8xf32>) {
  // expected-error@+1 {{rounding cannot be combined with with_weights or a region `probability` (C14)}}
  %0:2 = heddle.attention %q, %q, %q rounding(bf16) with_weights
    : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4x4xf32>)
  return
}
