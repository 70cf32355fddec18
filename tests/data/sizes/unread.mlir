// Operations with an unused result: they compute the largest element of a row and its position, and only the position
// is used. The initial value is a constant or an input. A third operation computes products in bf16 without summing
// them.
#all = affine_map<(b, s) -> (b, s)>
#rows = affine_map<(b, s) -> (b)>
func.func @main(%x: tensor<?x?xf32> {heddle.name = "x", heddle.dims = ["b", "s"]},
                %y: tensor<?x7xf32> {heddle.name = "y", heddle.dims = ["b", ""]},
                %least: tensor<?xf32> {heddle.name = "least", heddle.dims = ["b"]},
                %l: tensor<?x3xbf16> {heddle.name = "l", heddle.dims = ["s", ""]},
                %r: tensor<3x5xbf16> {heddle.name = "r"})
    -> (tensor<?xi64> {heddle.name = "place"}, tensor<?xi64> {heddle.name = "behind"}, tensor<?x3x5xbf16> {heddle.name = "outer"}) {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %s = tensor.dim %l, %c0 : tensor<?x3xbf16>
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %e = tensor.empty(%b) : tensor<?xf32>
  %fill = linalg.fill ins(%lowest : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %places = tensor.empty(%b) : tensor<?xi64>
  %zeros = linalg.fill ins(%none : i64) outs(%places : tensor<?xi64>) -> tensor<?xi64>
  %0:2 = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%fill, %zeros : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%in: f32, %most: f32, %at: i64):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i64
    %more = arith.cmpf ogt, %in, %most : f32
    %value = arith.select %more, %in, %most : f32
    %place = arith.select %more, %here, %at : i64
    linalg.yield %value, %place : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  %1:2 = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<?x7xf32>) outs(%least, %zeros : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%in: f32, %most: f32, %at: i64):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i64
    %more = arith.cmpf ogt, %in, %most : f32
    %value = arith.select %more, %in, %most : f32
    %place = arith.select %more, %here, %at : i64
    linalg.yield %value, %place : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  %zero = arith.constant 0.0 : bf16
  %oe = tensor.empty(%s) : tensor<?x3x5xbf16>
  %of = linalg.fill ins(%zero : bf16) outs(%oe : tensor<?x3x5xbf16>) -> tensor<?x3x5xbf16>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (j, k)>,
                                        affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%l, %r : tensor<?x3xbf16>, tensor<3x5xbf16>) outs(%of : tensor<?x3x5xbf16>) {
  ^bb0(%u: bf16, %v: bf16, %acc: bf16):
    %p = arith.mulf %u, %v : bf16
    %n = arith.addf %acc, %p : bf16
    linalg.yield %n : bf16
  } -> tensor<?x3x5xbf16>
  return %0#1, %1#1, %2 : tensor<?xi64>, tensor<?xi64>, tensor<?x3x5xbf16>
}
