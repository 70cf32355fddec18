// RUN: heddle-opt %s --split-input-file --heddle-assign-weights --verify-diagnostics

// The pass assigns offsets in the block of weights to the weights of @main, and to no others.
func.func @main() {
  return
}
func.func private @k0() {
  // expected-error @below {{heddle.weight is allowed only in @main; kernels take weights as arguments}}
  %0 = heddle.weight "a" : tensor<3xf32>
  return
}

// -----

// expected-error @below {{expected a function @main}}
module {
}
