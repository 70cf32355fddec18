// RUN: heddle-opt %s --heddle-pipeline="to=bufferize mcpu=x86-64-v3" -split-input-file -verify-diagnostics

// A state must be updated in the caller's memory. Here the second output is the state before the update, so
// bufferization would have to copy the state.
func.func @main(%key: tensor<2x2x3x16xf32>, %past: tensor<2xi64> {heddle.state_past},
                %keys: tensor<2x2x40x16xf32> {heddle.state = "key"})
    -> (tensor<2x2x40x16xf32> {heddle.state = "key"}, tensor<2x2x40x16xf32>) {
  // expected-error@+1 {{state "key" would be copied: the model needs the old state after the update, or returns the state without updating it in place}}
  %0 = heddle.append %key into %keys at %past : tensor<2x2x3x16xf32> into tensor<2x2x40x16xf32>, tensor<2xi64>
  return %0, %keys : tensor<2x2x40x16xf32>, tensor<2x2x40x16xf32>
}
