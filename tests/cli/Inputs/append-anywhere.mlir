// An error: the model computes the positions of heddle.append, and nothing checks that they are in range.
func.func @main(%new: tensor<1x1x2x4xf32>, %rows: tensor<1x1x8x4xf32>, %x: tensor<1xi64>) -> tensor<1x1x8x4xf32> {
  %at = arith.muli %x, %x : tensor<1xi64>
  %0 = heddle.append %new into %rows at %at : tensor<1x1x2x4xf32> into tensor<1x1x8x4xf32>, tensor<1xi64>
  return %0 : tensor<1x1x8x4xf32>
}
