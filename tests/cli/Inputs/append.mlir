// heddle.append to a tensor that is not a state, at positions that are an input.
func.func @main(%new: tensor<1x1x2x4xf32>, %rows: tensor<1x1x8x4xf32>, %at: tensor<1xi64> {heddle.name = "at"}) -> tensor<1x1x8x4xf32> {
  %0 = heddle.append %new into %rows at %at : tensor<1x1x2x4xf32> into tensor<1x1x8x4xf32>, tensor<1xi64>
  return %0 : tensor<1x1x8x4xf32>
}
