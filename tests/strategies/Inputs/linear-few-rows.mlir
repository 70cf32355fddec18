// A linear layer with three rows of 512 elements each. Most of the work for an output element is its sum.
func.func private @k0(%x: tensor<3x512xf32>, %w: tensor<512x100xf32>, %bias: tensor<100xf32>,
                      %out: tensor<3x100xf32> {bufferization.writable = true}) -> tensor<3x100xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w bias(%bias) activation(gelu) : (tensor<3x512xf32>, tensor<512x100xf32>, tensor<100xf32>) -> tensor<3x100xf32>
  return %0 : tensor<3x100xf32>
}
func.func @main(%x: tensor<3x512xf32> {bufferization.writable = false}, %out: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %w = heddle.weight "w" : tensor<512x100xf32>
  %b = heddle.weight "b" : tensor<100xf32>
  %0 = call @k0(%x, %w, %b, %out) : (tensor<3x512xf32>, tensor<512x100xf32>, tensor<100xf32>, tensor<3x100xf32>) -> tensor<3x100xf32>
  return %0 : tensor<3x100xf32>
}
