// Each function violates one constraint of heddle.linear. Its name begins with the label of the constraint in
// ops/Linear.td.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%x: tensor<3x8xf32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{weight has rank 1, expected 2 to 4 (C1)}}
  %0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c1_scalar(%x: tensor<f32>, %w: tensor<8x5xf32>) {
  // expected-error@+1 {{input has rank 0, expected at least 1 (C1)}}
  %0 = heddle.linear %x, %w : (tensor<f32>, tensor<8x5xf32>) -> tensor<5xf32>
  return
}

// -----
func.func @c1_element(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) {
  // expected-error@+1 {{result #0 has element type 'f64', expected 'f32' as in input (C1)}}
  %0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf64>
  return
}

// -----
func.func @c2(%x: tensor<3x8xf32>, %w: tensor<5x8xf32>) {
  // expected-error@+1 {{weight has number of rows 5, expected 8 as in input (C2)}}
  %0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<5x8xf32>) -> tensor<3x8xf32>
  return
}

// -----
func.func @c3(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>, %b: tensor<1x5xf32>) {
  // expected-error@+1 {{bias has shape [1, 5], expected [5] (C3)}}
  %0 = heddle.linear %x, %w bias(%b) : (tensor<3x8xf32>, tensor<8x5xf32>, tensor<1x5xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c4(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>, %r: tensor<5xf32>) {
  // expected-error@+1 {{residual has shape [5], expected [3, 5] (C4)}}
  %0 = heddle.linear %x, %w residual(%r) : (tensor<3x8xf32>, tensor<8x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c5(%x: tensor<3x8xf32>, %w: tensor<2x8x32xf32>) {
  // expected-error@+1 {{weight has shape [2, 8, 32], whose panels are for 33 to 64 columns, expected panels for 65 (C5)}}
  %0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<2x8x32xf32>) -> tensor<3x65xf32>
  return
}

// -----
func.func @c5_interleaved(%x: tensor<3x8xf32>, %w: tensor<3x2x8x16xf32>) {
  // expected-error@+1 {{weight has shape [3, 2, 8, 16], whose panels are for 49 to 96 columns, expected panels for 48 (C5)}}
  %0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<3x2x8x16xf32>) -> tensor<3x48xf32>
  return
}

// -----
func.func @c6_type(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) {
  // expected-error@+1 {{rounding to 'i16', expected bf16, f16, ui8, i8 or si8 (C6)}}
  %0 = heddle.linear %x, %w rounding(<i16>) : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c6_scope(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) {
  // expected-error@+1 {{rounding may have at most one of a positive block, per_tensor and scale, and only for i8, si8 or ui8 (C6)}}
  %0 = heddle.linear %x, %w rounding(<bf16 x 4>) : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c6_step(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) {
  // expected-error@+1 {{scale of rounding must be positive, finite, and of f32 (C6)}}
  %0 = heddle.linear %x, %w rounding(<i8 scale = 0.0 : f32>) : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c6_zero(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) {
  // expected-error@+1 {{zero of rounding is 200, expected a number from -128 to 127, and a scale (C6)}}
  %0 = heddle.linear %x, %w rounding(<i8 scale = 1.0 : f32 zero = 200>) : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c6_outliers(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) {
  // expected-error@+1 {{outlier channels of rounding must ascend and be columns of the input (C6)}}
  %0 = heddle.linear %x, %w rounding(<ui8 outliers [3, 8]>) : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c7_rounding(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>, %c: tensor<2xi32>) {
  // expected-error@+1 {{outlier_channels requires a rounding that lists no outlier channels (C7)}}
  %0 = heddle.linear %x, %w outlier_channels(%c) : (tensor<3x8xf32>, tensor<8x5xf32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c7_both(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>, %c: tensor<2xi32>) {
  // expected-error@+1 {{outlier_channels requires a rounding that lists no outlier channels (C7)}}
  %0 = heddle.linear %x, %w rounding(<ui8 outliers [3]>) outlier_channels(%c)
    : (tensor<3x8xf32>, tensor<8x5xf32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}

// -----
func.func @c7_count(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>, %c: tensor<8xi32>) {
  // expected-error@+1 {{outlier_channels has 8 numbers, expected fewer than 8 (C7)}}
  %0 = heddle.linear %x, %w rounding(<ui8>) outlier_channels(%c)
    : (tensor<3x8xf32>, tensor<8x5xf32>, tensor<8xi32>) -> tensor<3x5xf32>
  return
}
