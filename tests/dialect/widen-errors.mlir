// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{'heddle.widen' op result has element type 'f16', expected floats wider than 'f32' (C1)}}
  %0 = heddle.widen %x : tensor<3xf32> -> tensor<3xf16>
  return
}

// -----
func.func @c1_same(%x: tensor<3xf16>) {
  // expected-error@+1 {{'heddle.widen' op result has element type 'bf16', expected floats wider than 'f16' (C1)}}
  %0 = heddle.widen %x : tensor<3xf16> -> tensor<3xbf16>
  return
}
