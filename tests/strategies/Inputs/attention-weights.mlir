// Attention whose second result is the attention probabilities.
func.func @kernel(%q: tensor<1x2x128x8xf32>, %k: tensor<1x2x70x8xf32>, %v: tensor<1x2x70x4xf32>,
                  %out: memref<1x2x128x4xf32>, %weights: memref<1x2x128x70xf32>) attributes {heddle.kernel} {
  %0:2 = heddle.attention %q, %k, %v with_weights
    : (tensor<1x2x128x8xf32>, tensor<1x2x70x8xf32>, tensor<1x2x70x4xf32>) -> (tensor<1x2x128x4xf32>, tensor<1x2x128x70xf32>)
  bufferization.materialize_in_destination %0#0 in restrict writable %out : (tensor<1x2x128x4xf32>, memref<1x2x128x4xf32>) -> ()
  bufferization.materialize_in_destination %0#1 in restrict writable %weights : (tensor<1x2x128x70xf32>, memref<1x2x128x70xf32>) -> ()
  return
}
