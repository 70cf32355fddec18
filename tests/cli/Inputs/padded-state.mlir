// A state of rows of 2 heads and an output with as many positions. The state's dimension of heads has the extent of the
// dimension of positions.
func.func @main(%x: tensor<2x2x4xf32>, %new: tensor<2x2x1x4xf32>, %attention_mask: tensor<2x2xi64> {heddle.name = "attention_mask"},
                %past: tensor<2xi64> {heddle.state_past}, %rows: tensor<2x2x8x4xf32> {heddle.state = "rows"})
    -> (tensor<2x2x4xf32>, tensor<2x2x8x4xf32> {heddle.state = "rows"}) {
  %0 = heddle.append %new into %rows at %past : tensor<2x2x1x4xf32> into tensor<2x2x8x4xf32>, tensor<2xi64>
  %empty = tensor.empty() : tensor<2x2x4xf32>
  %1 = linalg.exp ins(%x : tensor<2x2x4xf32>) outs(%empty : tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
  return %1, %0 : tensor<2x2x4xf32>, tensor<2x2x8x4xf32>
}
