// The two kernels of this model have the same type and differ only in a constant, so an error that exchanges them
// changes the result.
func.func @main(%x: tensor<5x39xf32>, %s: tensor<39xf32>) -> tensor<5x39xf32> {
  %0 = heddle.rms_norm %x scale(%s) epsilon(1.0e-5) : (tensor<5x39xf32>, tensor<39xf32>) -> tensor<5x39xf32>
  %1 = heddle.rms_norm %0 scale(%s) epsilon(0.5) : (tensor<5x39xf32>, tensor<39xf32>) -> tensor<5x39xf32>
  return %1 : tensor<5x39xf32>
}
