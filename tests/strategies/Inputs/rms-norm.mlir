// An RMS norm of the sum of two inputs. There are five rows, so tiles of four rows leave a tile of one row. A row has
// 39 elements, which is not a multiple of the length of a vector.
func.func @k0(%x: tensor<5x39xf32> {bufferization.writable = false}, %r: tensor<5x39xf32> {bufferization.writable = false},
              %scale: tensor<39xf32> {bufferization.writable = false},
              %out: tensor<5x39xf32> {bufferization.writable = true}) -> tensor<5x39xf32>
    attributes {heddle.kernel} {
  %0 = heddle.rms_norm %x scale(%scale) residual(%r) : (tensor<5x39xf32>, tensor<39xf32>, tensor<5x39xf32>) -> tensor<5x39xf32>
  return %0 : tensor<5x39xf32>
}
