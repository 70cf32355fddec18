// Each function violates one constraint of heddle.ffn. Its name begins with the label of the constraint in ops/Ffn.td.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @c1(%x: tensor<3x8xf32>, %up: tensor<8x20xf32>, %down: tensor<20x5xbf16>) {
  // expected-error@+1 {{down has element type 'bf16', expected 'f32' as in input (C1)}}
  %0 = heddle.ffn %x, %up, %down : (tensor<3x8xf32>, tensor<8x20xf32>, tensor<20x5xbf16>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c2(%x: tensor<3x8xf32>, %up: tensor<9x20xf32>, %down: tensor<20x5xf32>) {
  // expected-error@+1 {{up has number of rows 9, expected 8 as in input (C2)}}
  %0 = heddle.ffn %x, %up, %down : (tensor<3x8xf32>, tensor<9x20xf32>, tensor<20x5xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c3(%x: tensor<3x8xf32>, %up: tensor<8x20xf32>, %down: tensor<20x5xf32>, %gate: tensor<8x21xf32>) {
  // expected-error@+1 {{gate has shape [8, 21], expected [8, 20] (C3)}}
  %0 = heddle.ffn %x, %up, %down gate(%gate) : (tensor<3x8xf32>, tensor<8x20xf32>, tensor<20x5xf32>, tensor<8x21xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c3_gate_bias(%x: tensor<3x8xf32>, %up: tensor<8x20xf32>, %down: tensor<20x5xf32>, %b: tensor<20xf32>) {
  // expected-error@+1 {{gate_bias is given without gate (C3)}}
  %0 = heddle.ffn %x, %up, %down gate_bias(%b) : (tensor<3x8xf32>, tensor<8x20xf32>, tensor<20x5xf32>, tensor<20xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c4(%x: tensor<3x8xf32>, %up: tensor<8x20xf32>, %down: tensor<21x5xf32>) {
  // expected-error@+1 {{down has number of rows 21, expected 20 as in up's columns (C4)}}
  %0 = heddle.ffn %x, %up, %down : (tensor<3x8xf32>, tensor<8x20xf32>, tensor<21x5xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c5(%x: tensor<3x8xf32>, %up: tensor<8x20xf32>, %down: tensor<20x5xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{up_bias has shape [5], expected [20] (C5)}}
  %0 = heddle.ffn %x, %up, %down up_bias(%b) : (tensor<3x8xf32>, tensor<8x20xf32>, tensor<20x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c6(%x: tensor<3x8xf32>, %up: tensor<8x20xf32>, %down: tensor<20x5xf32>) {
  // expected-error@+1 {{residual has shape [3, 8], expected [3, 5] (C6)}}
  %0 = heddle.ffn %x, %up, %down residual(%x) : (tensor<3x8xf32>, tensor<8x20xf32>, tensor<20x5xf32>, tensor<3x8xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c7(%x: tensor<3x8xf32>, %up: tensor<1x8x16xf32>, %down: tensor<20x5xf32>) {
  // expected-error@+1 {{up has shape [1, 8, 16], whose panels are for 1 to 16 columns, expected panels for 20 (C7)}}
  %0 = heddle.ffn %x, %up, %down : (tensor<3x8xf32>, tensor<1x8x16xf32>, tensor<20x5xf32>) -> tensor<3x5xf32>
  return
}
