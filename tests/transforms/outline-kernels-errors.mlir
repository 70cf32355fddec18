// RUN: heddle-opt %s --split-input-file --heddle-outline-kernels --verify-diagnostics

// expected-error @below {{expected tensors of static shape at the boundary of @main, found 'tensor<?xf32>'}}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// The module has no function @main.
// expected-error @below {{expected a function @main with one block}}
module {
  func.func @other() { return }
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{a tensor without elements cannot be compiled: 'tensor<0xf32>'}}
  %e = tensor.extract_slice %x[0] [0] [1] : tensor<2xf32> to tensor<0xf32>
  return %x : tensor<2xf32>
}
