// A linear layer whose rows of padding become zeros. 70 rows are not a multiple of a tile's rows.
func.func @main(%x: tensor<2x35x24xf32>, %m: tensor<2x35xi64> {heddle.range = array<i64: 0, 1>}) -> tensor<2x35x40xf32> {
  %w = heddle.weight "w" : tensor<24x40xf32>
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i64
  %l = heddle.linear %x, %w activation(gelu) : (tensor<2x35x24xf32>, tensor<24x40xf32>) -> tensor<2x35x40xf32>
  %e = tensor.empty() : tensor<2x35x40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, s, h) -> (b, s)>, affine_map<(b, s, h) -> (b, s, h)>,
                                        affine_map<(b, s, h) -> (b, s, h)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %l : tensor<2x35xi64>, tensor<2x35x40xf32>) outs(%e : tensor<2x35x40xf32>) {
  ^bb0(%in: i64, %value: f32, %old: f32):
    %active = arith.cmpi ne, %in, %none : i64
    %kept = arith.select %active, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<2x35x40xf32>
  return %r : tensor<2x35x40xf32>
}
