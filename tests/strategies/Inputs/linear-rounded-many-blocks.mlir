// A linear layer that rounds the 136 rows of its input to i8, with a scale for each 32 elements. The weight is stored
// in i8 in the same blocks.
func.func private @k0(%x: tensor<136x64xf32>, %q: tensor<64x40xi8>, %s: tensor<2x40xf32>,
                      %out: tensor<136x40xf32> {bufferization.writable = true}) -> tensor<136x40xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<2x40xf32>) block [32, 1] : tensor<64x40xi8> -> tensor<64x40xf32>
  %0 = heddle.linear %x, %w rounding(<i8 x 32>) : (tensor<136x64xf32>, tensor<64x40xf32>) -> tensor<136x40xf32>
  return %0 : tensor<136x40xf32>
}
func.func @main(%x: tensor<136x64xf32> {bufferization.writable = false}, %out: tensor<136x40xf32>) -> tensor<136x40xf32> {
  %q = heddle.weight "w" via [#heddle.quantize<8, [32, 1]>] : tensor<64x40xi8>
  %s = heddle.weight "w" via [#heddle.scales<8, [32, 1]>] : tensor<2x40xf32>
  %0 = call @k0(%x, %q, %s, %out) : (tensor<136x64xf32>, tensor<64x40xi8>, tensor<2x40xf32>, tensor<136x40xf32>) -> tensor<136x40xf32>
  return %0 : tensor<136x40xf32>
}
