// heddle.append at positions that the model computes without a check of their range, which is an error.
func.func @main(%new: tensor<1x1x2x4xf32>, %rows: tensor<1x1x8x4xf32>, %x: tensor<1xi64>) -> tensor<1x1x8x4xf32> {
  %at = arith.muli %x, %x : tensor<1xi64>
  %0 = heddle.append %new into %rows at %at : tensor<1x1x2x4xf32> into tensor<1x1x8x4xf32>, tensor<1xi64>
  return %0 : tensor<1x1x8x4xf32>
}
