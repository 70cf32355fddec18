// A linear layer with 20 rows and 100 columns. These sizes are not multiples of the width of a panel (neighbouring
// columns of the weight) or of the height of a register tile, so the last panel is narrow and the last tile is small.
func.func private @k0(%x: tensor<20x64xf32>, %w: tensor<64x100xf32>, %bias: tensor<100xf32>,
                      %out: tensor<20x100xf32> {bufferization.writable = true}) -> tensor<20x100xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w bias(%bias) activation(gelu) : (tensor<20x64xf32>, tensor<64x100xf32>, tensor<100xf32>) -> tensor<20x100xf32>
  return %0 : tensor<20x100xf32>
}
func.func @main(%x: tensor<20x64xf32> {bufferization.writable = false}, %out: tensor<20x100xf32>) -> tensor<20x100xf32> {
  %w = heddle.weight "w" : tensor<64x100xf32>
  %b = heddle.weight "b" : tensor<100xf32>
  %0 = call @k0(%x, %w, %b, %out) : (tensor<20x64xf32>, tensor<64x100xf32>, tensor<100xf32>, tensor<20x100xf32>) -> tensor<20x100xf32>
  return %0 : tensor<20x100xf32>
}
