// Rows of 39 elements, with a residual that is added first: four at a time, and one more.
func.func @k0(%x: tensor<5x39xf32> {bufferization.writable = false}, %r: tensor<5x39xf32> {bufferization.writable = false},
              %scale: tensor<39xf32> {bufferization.writable = false},
              %out: tensor<5x39xf32> {bufferization.writable = true}) -> tensor<5x39xf32>
    attributes {heddle.kernel} {
  %0 = heddle.layer_norm %x scale(%scale) residual(%r) : (tensor<5x39xf32>, tensor<39xf32>, tensor<5x39xf32>) -> tensor<5x39xf32>
  return %0 : tensor<5x39xf32>
}
