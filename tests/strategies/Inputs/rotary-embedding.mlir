// A rotary embedding of heads with 39 elements. There are 16 angles, so 32 elements are rotated and 7 are copied.
func.func @k0(%x: tensor<2x3x5x39xf32> {bufferization.writable = false}, %c: tensor<5x16xf32> {bufferization.writable = false},
              %s: tensor<5x16xf32> {bufferization.writable = false},
              %out: tensor<2x3x5x39xf32> {bufferization.writable = true}) -> tensor<2x3x5x39xf32> attributes {heddle.kernel} {
  %0 = heddle.rotary_embedding %x, %c, %s : (tensor<2x3x5x39xf32>, tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<2x3x5x39xf32>
  return %0 : tensor<2x3x5x39xf32>
}
