// Each function violates one constraint of heddle.sizes. Its name begins with the label of the constraint in
// ops/Sizes.td.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @c1() {
  // expected-error@+1 {{'heddle.sizes' op element 1 is not the code of an expression (C1)}}
  %0 = heddle.sizes [array<i64: 0, 2>, array<i64: 2, 0>] : tensor<2xi64>
  return
}

// -----
func.func @c1_kind() {
  // expected-error@+1 {{'heddle.sizes' op element 0 is not the code of an expression (C1)}}
  %0 = heddle.sizes ["s"] : tensor<1xi64>
  return
}

// -----
func.func @c2() {
  // expected-error@+1 {{'heddle.sizes' op expected one expression or one for each element of 'tensor<3xi64>', found 2 (C2)}}
  %0 = heddle.sizes [array<i64: 0, 2>, array<i64: 1, 0>] : tensor<3xi64>
  return
}

// -----
func.func @c3() {
  // expected-error@+1 {{'heddle.sizes' op expected integers, found 'f32' (C3)}}
  %0 = heddle.sizes [array<i64: 0, 2>] : tensor<f32>
  return
}
