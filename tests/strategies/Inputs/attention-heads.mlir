// Attention with 7 heads of 3 elements, whose tensors have the layout [batch, sequence, heads, elements].
func.func @kernel(%q: tensor<3x5x7x3xf32>, %k: tensor<3x9x7x3xf32>, %v: tensor<3x9x7x5xf32>,
                  %out: tensor<3x5x7x5xf32> {bufferization.writable = true}) -> tensor<3x5x7x5xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<3x5x7x3xf32>, tensor<3x9x7x3xf32>, tensor<3x9x7x5xf32>) -> tensor<3x5x7x5xf32>
  return %0 : tensor<3x5x7x5xf32>
}
