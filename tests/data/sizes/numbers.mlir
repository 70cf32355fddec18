// Numbers computed from sizes: the divisor of a mean, the inverse of the number of elements, and the last position.
func.func @main(%x: tensor<?x?x37xf32> {heddle.name = "x", heddle.dims = ["b", "s", ""]},
                %i: tensor<?x?xi64> {heddle.name = "i", heddle.dims = ["b", "s"]})
    -> (tensor<?x37xf32> {heddle.name = "mean"}, tensor<?x?x37xf32> {heddle.name = "scaled"}, tensor<?x?xi64> {heddle.name = "bounded"}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x37xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x37xf32>
  %e = tensor.empty(%b) : tensor<?x37xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x37xf32>) -> tensor<?x37xf32>
  %sum = linalg.reduce ins(%x : tensor<?x?x37xf32>) outs(%f : tensor<?x37xf32>) dimensions = [1]
    (%a: f32, %acc: f32) {
      %r = arith.addf %a, %acc : f32
      linalg.yield %r : f32
    }
  %si = arith.index_cast %s : index to i64
  %sf = arith.sitofp %si : i64 to f32
  %0 = linalg.generic {indexing_maps = [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<?x37xf32>) outs(%e : tensor<?x37xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.divf %a, %sf : f32
    linalg.yield %r : f32
  } -> tensor<?x37xf32>
  %bs = arith.muli %b, %s : index
  %bsi = arith.index_cast %bs : index to i64
  %bsf = arith.sitofp %bsi : i64 to f32
  %part = arith.divf %one, %bsf : f32
  %xe = tensor.empty(%b, %s) : tensor<?x?x37xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, s, d) -> (b, s, d)>, affine_map<(b, s, d) -> (b, s, d)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x?x37xf32>) outs(%xe : tensor<?x?x37xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %part : f32
    linalg.yield %r : f32
  } -> tensor<?x?x37xf32>
  %last = arith.subi %s, %c1 : index
  %lasti = arith.index_cast %last : index to i64
  %ie = tensor.empty(%b, %s) : tensor<?x?xi64>
  %2 = linalg.generic {indexing_maps = [affine_map<(b, s) -> (b, s)>, affine_map<(b, s) -> (b, s)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?x?xi64>) outs(%ie : tensor<?x?xi64>) {
  ^bb0(%a: i64, %o: i64):
    %r = arith.minsi %a, %lasti : i64
    linalg.yield %r : i64
  } -> tensor<?x?xi64>
  return %0, %1, %2 : tensor<?x37xf32>, tensor<?x?x37xf32>, tensor<?x?xi64>
}
