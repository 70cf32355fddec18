// A linear layer with GELU that rounds the 8 rows of its input to unsigned bytes. The weight is stored in i8.
func.func private @k0(%x: tensor<8x256xf32>, %q: tensor<256x48xi8>, %s: tensor<1x48xf32>,
                      %out: tensor<8x48xf32> {bufferization.writable = true}) -> tensor<8x48xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<1x48xf32>) block [256, 1] : tensor<256x48xi8> -> tensor<256x48xf32>
  %0 = heddle.linear %x, %w activation(gelu) rounding(<ui8>) : (tensor<8x256xf32>, tensor<256x48xf32>) -> tensor<8x48xf32>
  return %0 : tensor<8x48xf32>
}
func.func @main(%x: tensor<8x256xf32> {bufferization.writable = false}, %out: tensor<8x48xf32>) -> tensor<8x48xf32> {
  %q = heddle.weight "w" via [#heddle.quantize<8, [256, 1]>] : tensor<256x48xi8>
  %s = heddle.weight "w" via [#heddle.scales<8, [256, 1]>] : tensor<1x48xf32>
  %0 = call @k0(%x, %q, %s, %out) : (tensor<8x256xf32>, tensor<256x48xi8>, tensor<1x48xf32>, tensor<8x48xf32>) -> tensor<8x48xf32>
  return %0 : tensor<8x48xf32>
}
