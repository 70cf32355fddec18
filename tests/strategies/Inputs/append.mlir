// Appends five rows of 39 elements to a state with a capacity of 40 rows, for two sequences with three heads each. The
// number 39 is not a multiple of the length of a vector.
func.func @k0(%new: tensor<2x3x5x39xf32> {bufferization.writable = false}, %past: tensor<2xi64> {bufferization.writable = false},
              %state: tensor<2x3x40x39xf32> {bufferization.writable = true}) -> tensor<2x3x40x39xf32> attributes {heddle.kernel} {
  %0 = heddle.append %new into %state at %past : tensor<2x3x5x39xf32> into tensor<2x3x40x39xf32>, tensor<2xi64>
  return %0 : tensor<2x3x40x39xf32>
}
