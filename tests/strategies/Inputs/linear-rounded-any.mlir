// A linear layer that rounds the 20 rows of its input to f16, except for column 7. Its weight is an operand in f32.
func.func private @k0(%x: tensor<20x64xf32>, %w: tensor<64x100xf32>,
                      %out: tensor<20x100xf32> {bufferization.writable = true}) -> tensor<20x100xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w rounding(<f16 outliers [7]>) : (tensor<20x64xf32>, tensor<64x100xf32>) -> tensor<20x100xf32>
  return %0 : tensor<20x100xf32>
}
func.func @main(%x: tensor<20x64xf32> {bufferization.writable = false}, %w: tensor<64x100xf32>,
                %out: tensor<20x100xf32>) -> tensor<20x100xf32> {
  %0 = call @k0(%x, %w, %out) : (tensor<20x64xf32>, tensor<64x100xf32>, tensor<20x100xf32>) -> tensor<20x100xf32>
  return %0 : tensor<20x100xf32>
}
