// Appends two rows to a tensor of i8, which has a scale for each row. The position is an input.
func.func @main(%new: tensor<1x2x2x8xf32>, %past: tensor<1xi64> {heddle.range = array<i64: 0, 14>}, %k: tensor<1x2x16x8xi8>, %s: tensor<1x2x16x1xf32>) -> (tensor<1x2x16x8xi8>, tensor<1x2x16x1xf32>) {
  %0:2 = heddle.append %new into %k scales(%s : tensor<1x2x16x1xf32>) at %past : tensor<1x2x2x8xf32> into tensor<1x2x16x8xi8>, tensor<1xi64>
  return %0#0, %0#1 : tensor<1x2x16x8xi8>, tensor<1x2x16x1xf32>
}
