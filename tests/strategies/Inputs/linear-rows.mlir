// A linear layer with 256 rows, which strategies divide into blocks of rows.
func.func private @k0(%x: tensor<256x64xf32>, %w: tensor<64x96xf32>, %bias: tensor<96xf32>,
                      %out: tensor<256x96xf32> {bufferization.writable = true}) -> tensor<256x96xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w bias(%bias) activation(gelu) : (tensor<256x64xf32>, tensor<64x96xf32>, tensor<96xf32>) -> tensor<256x96xf32>
  return %0 : tensor<256x96xf32>
}
func.func @main(%x: tensor<256x64xf32> {bufferization.writable = false}, %out: tensor<256x96xf32>) -> tensor<256x96xf32> {
  %w = heddle.weight "w" : tensor<64x96xf32>
  %b = heddle.weight "b" : tensor<96xf32>
  %0 = call @k0(%x, %w, %b, %out) : (tensor<256x64xf32>, tensor<64x96xf32>, tensor<96xf32>, tensor<256x96xf32>) -> tensor<256x96xf32>
  return %0 : tensor<256x96xf32>
}
