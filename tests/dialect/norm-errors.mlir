// Each function violates one constraint of heddle.layer_norm or heddle.rms_norm. Its name begins with the label of the
// constraint in ops/Norm.td.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @c1(%x: tensor<f32>) {
  // expected-error@+1 {{'heddle.rms_norm' op input has rank 0, expected at least 1 (C1)}}
  %0 = heddle.rms_norm %x : (tensor<f32>) -> tensor<f32>
  return
}

// -----
func.func @c2(%x: tensor<3x8xf32>, %g: tensor<3xf32>) {
  // expected-error@+1 {{scale has shape [3], expected [8] (C2)}}
  %0 = heddle.layer_norm %x scale(%g) : (tensor<3x8xf32>, tensor<3xf32>) -> tensor<3x8xf32>
  return
}

// -----
func.func @c2_bias(%x: tensor<3x8xf32>, %b: tensor<1x8xf32>) {
  // expected-error@+1 {{bias has shape [1, 8], expected [8] (C2)}}
  %0 = heddle.layer_norm %x bias(%b) : (tensor<3x8xf32>, tensor<1x8xf32>) -> tensor<3x8xf32>
  return
}

// -----
func.func @c3(%x: tensor<3x8xf32>, %r: tensor<8xf32>) {
  // expected-error@+1 {{residual has shape [8], expected [3, 8] (C3)}}
  %0 = heddle.rms_norm %x residual(%r) : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
  return
}

// -----
func.func @c4(%x: tensor<3x8xf32>) {
  // expected-error@+1 {{epsilon is -1.000000e+00, expected a finite number that is not negative (C4)}}
  %0 = heddle.layer_norm %x epsilon(-1.0) : (tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}
