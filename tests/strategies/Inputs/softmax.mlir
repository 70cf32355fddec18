// A softmax along the last dimension and a reshape of the result. A row has 39 elements, which is not a multiple of the
// length of a vector.
func.func @k0(%x: tensor<1x5x39xf32> {bufferization.writable = false},
              %out: tensor<5x39xf32> {bufferization.writable = true}) -> tensor<5x39xf32> attributes {heddle.kernel} {
  %0 = tensor.empty() : tensor<1x5x39xf32>
  %1 = linalg.softmax dimension(2) ins(%x : tensor<1x5x39xf32>) outs(%0 : tensor<1x5x39xf32>) -> tensor<1x5x39xf32>
  %2 = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<1x5x39xf32> into tensor<5x39xf32>
  return %2 : tensor<5x39xf32>
}
