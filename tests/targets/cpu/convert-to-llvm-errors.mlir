// RUN: heddle-opt %s --heddle-convert-to-llvm --verify-diagnostics

// No operation outside the LLVM dialect may remain.
func.func private @k0() {
  // expected-error @below {{failed to legalize operation 'tensor.empty'}}
  %0 = tensor.empty() : tensor<4xf32>
  return
}
