// Contractions over a size in a range, and contractions whose result has such a size twice.
func.func @main(%x: tensor<?x?x12xf32> {heddle.name = "x", heddle.dims = ["b", "s", ""]},
                %y: tensor<?x?x12xf32> {heddle.name = "y", heddle.dims = ["b", "s", ""]})
    -> (tensor<?x12x12xf32> {heddle.name = "inner"}, tensor<?x?x?xf32> {heddle.name = "outer"}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x12xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x12xf32>
  %e = tensor.empty(%b) : tensor<?x12x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x12x12xf32>) -> tensor<?x12x12xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(b, i, j, s) -> (b, s, i)>, affine_map<(b, i, j, s) -> (b, s, j)>,
                                        affine_map<(b, i, j, s) -> (b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x?x12xf32>, tensor<?x?x12xf32>) outs(%f : tensor<?x12x12xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %n = arith.addf %acc, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x12x12xf32>
  %oe = tensor.empty(%b, %s, %s) : tensor<?x?x?xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>,
                                        affine_map<(b, i, j, d) -> (b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x?x12xf32>, tensor<?x?x12xf32>) outs(%of : tensor<?x?x?xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %n = arith.addf %acc, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x?x?xf32>
  return %0, %1 : tensor<?x12x12xf32>, tensor<?x?x?xf32>
}
