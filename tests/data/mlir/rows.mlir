// A linear layer for any number of rows. The index of each row is added to the result.
func.func @main(%x: tensor<?x20xf32> {heddle.name = "x", heddle.dims = ["rows", ""]},
                %w: tensor<20x33xf32> {heddle.name = "w"}) -> (tensor<?x33xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x20xf32>
  %y = heddle.linear %x, %w : (tensor<?x20xf32>, tensor<20x33xf32>) -> tensor<?x33xf32>
  %empty = tensor.empty(%rows) : tensor<?x33xf32>
  %numbered = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x33xf32>) outs(%empty : tensor<?x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    %row = linalg.index 0 : index
    %number = arith.index_cast %row : index to i32
    %float = arith.sitofp %number : i32 to f32
    %sum = arith.addf %in, %float : f32
    linalg.yield %sum : f32
  } -> tensor<?x33xf32>
  return %numbered : tensor<?x33xf32>
}
