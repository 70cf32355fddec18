// Normalises rows of 39 elements after adding a residual. There are tiles of four rows and one of a single row.
func.func @k0(%x: tensor<5x39xf32> {bufferization.writable = false}, %r: tensor<5x39xf32> {bufferization.writable = false},
              %scale: tensor<39xf32> {bufferization.writable = false},
              %out: tensor<5x39xf32> {bufferization.writable = true}) -> tensor<5x39xf32>
    attributes {heddle.kernel} {
  %0 = heddle.rms_norm %x scale(%scale) residual(%r) : (tensor<5x39xf32>, tensor<39xf32>, tensor<5x39xf32>) -> tensor<5x39xf32>
  return %0 : tensor<5x39xf32>
}
