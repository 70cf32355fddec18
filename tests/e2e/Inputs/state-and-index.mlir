// A call fails if the square of an element of `i` exceeds 3. Each call appends rows to the state "rows" and replaces
// the state "sum".
func.func @main(%new: tensor<2x1x1x4xf32>, %table: tensor<4xf32>, %i: tensor<2xi64>, %past: tensor<2xi64> {heddle.state_past},
                %rows: tensor<2x1x8x4xf32> {heddle.state = "rows"}, %sum: tensor<2x4xf32> {heddle.state = "sum"})
    -> (tensor<2xf32>, tensor<2x1x8x4xf32> {heddle.state = "rows"}, tensor<2x4xf32> {heddle.state = "sum"}) {
  %0 = heddle.append %new into %rows at %past : tensor<2x1x1x4xf32> into tensor<2x1x8x4xf32>, tensor<2xi64>
  %one = arith.constant dense<1.0> : tensor<2x4xf32>
  %1 = arith.addf %sum, %one : tensor<2x4xf32>
  %square = arith.muli %i, %i : tensor<2xi64>
  %checked = heddle.checked_index %square of 4 : tensor<2xi64>
  %empty = tensor.empty() : tensor<2xf32>
  %out = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%checked : tensor<2xi64>) outs(%empty : tensor<2xf32>) {
  ^bb0(%index: i64, %ignored: f32):
    %place = arith.index_cast %index : i64 to index
    %element = tensor.extract %table[%place] : tensor<4xf32>
    linalg.yield %element : f32
  } -> tensor<2xf32>
  return %out, %0, %1 : tensor<2xf32>, tensor<2x1x8x4xf32>, tensor<2x4xf32>
}
