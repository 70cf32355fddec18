// heddle.checked_index checks indices against an extent: the call fails if an index is out of bounds. The operation is
// parsed and printed. An extent that is less than 1 or does not fit into the element type is an error.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s
// RUN: heddle-opt %s -split-input-file -verify-diagnostics -canonicalize -cse | FileCheck %s --check-prefix=ONCE

// CHECK: heddle.checked_index %{{.*}} of 7 : tensor<2x3xi64>
// Two equal checks become one, and an unused check is removed.
// ONCE-COUNT-1: heddle.checked_index
// ONCE-NOT: heddle.checked_index
func.func @printed(%i: tensor<2x3xi64>) -> (tensor<2x3xi64>, tensor<2x3xi64>) {
  %0 = heddle.checked_index %i of 7 : tensor<2x3xi64>
  %1 = heddle.checked_index %i of 7 : tensor<2x3xi64>
  %2 = heddle.checked_index %i of 6 : tensor<2x3xi64>
  return %0, %1 : tensor<2x3xi64>, tensor<2x3xi64>
}

// -----

func.func @c1(%i: tensor<3xi8>) {
  // expected-error@+1 {{'heddle.checked_index' op has an extent of 128, expected at least 1 and at most the largest integer of 8 bits (C1)}}
  %0 = heddle.checked_index %i of 128 : tensor<3xi8>
  return
}

// -----

func.func @c1_none(%i: tensor<3xi64>) {
  // expected-error@+1 {{'heddle.checked_index' op has an extent of 0, expected at least 1}}
  %0 = heddle.checked_index %i of 0 : tensor<3xi64>
  return
}
