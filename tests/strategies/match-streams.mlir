// RUN: not heddle-opt %s --split-input-file --heddle-tile=strategy=softmax=softmax-stream 2>&1 | FileCheck %s

// The strategy softmax-stream writes its result with stores that bypass the caches. For a softmax that does not benefit
// from this, or that the strategy cannot compute, the error must contain the reason why the strategy is not eligible.

// CHECK: needs a result of at least 33554432 bytes, which does not fit into caches, found 65536
func.func private @k0(%x: tensor<16x1024xf32>, %out: tensor<16x1024xf32> {bufferization.writable = true})
    -> tensor<16x1024xf32> attributes {heddle.kernel} {
  %0 = tensor.empty() : tensor<16x1024xf32>
  %1 = linalg.softmax dimension(1) ins(%x : tensor<16x1024xf32>) outs(%0 : tensor<16x1024xf32>) -> tensor<16x1024xf32>
  return %1 : tensor<16x1024xf32>
}

// -----

// CHECK: needs rows whose length is a multiple of 64 bytes, found 4004 bytes
func.func private @k0(%x: tensor<16384x1001xf32>, %out: tensor<16384x1001xf32> {bufferization.writable = true})
    -> tensor<16384x1001xf32> attributes {heddle.kernel} {
  %0 = tensor.empty() : tensor<16384x1001xf32>
  %1 = linalg.softmax dimension(1) ins(%x : tensor<16384x1001xf32>) outs(%0 : tensor<16384x1001xf32>) -> tensor<16384x1001xf32>
  return %1 : tensor<16384x1001xf32>
}

// -----

// CHECK: supports only a softmax along the last dimension, found dimension 0
func.func private @k0(%x: tensor<16384x1024xf32>, %out: tensor<16384x1024xf32> {bufferization.writable = true})
    -> tensor<16384x1024xf32> attributes {heddle.kernel} {
  %0 = tensor.empty() : tensor<16384x1024xf32>
  %1 = linalg.softmax dimension(0) ins(%x : tensor<16384x1024xf32>) outs(%0 : tensor<16384x1024xf32>) -> tensor<16384x1024xf32>
  return %1 : tensor<16384x1024xf32>
}
