// Reductions over sizes in ranges: a sum over positions, a sum over all elements, and the largest element of each row.
#all = affine_map<(b, s, d) -> (b, s, d)>
func.func @main(%x: tensor<?x?x37xf32> {heddle.name = "x", heddle.dims = ["b", "s", ""]},
                %m: tensor<?x?xf32> {heddle.name = "m", heddle.dims = ["b", "s"]})
    -> (tensor<?x37xf32> {heddle.name = "sum"}, tensor<f32> {heddle.name = "total"}, tensor<?xf32> {heddle.name = "most"}) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x37xf32>
  %e = tensor.empty(%b) : tensor<?x37xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x37xf32>) -> tensor<?x37xf32>
  %0 = linalg.generic {indexing_maps = [#all, affine_map<(b, s, d) -> (b, s)>, affine_map<(b, s, d) -> (b, d)>],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x, %m : tensor<?x?x37xf32>, tensor<?x?xf32>) outs(%f : tensor<?x37xf32>) {
  ^bb0(%a: f32, %w: f32, %acc: f32):
    %p = arith.mulf %a, %w : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x37xf32>
  %te = tensor.empty() : tensor<f32>
  %tf = linalg.fill ins(%zero : f32) outs(%te : tensor<f32>) -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#all, affine_map<(b, s, d) -> ()>],
                       iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%x : tensor<?x?x37xf32>) outs(%tf : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %me = tensor.empty(%b) : tensor<?xf32>
  %mf = linalg.fill ins(%low : f32) outs(%me : tensor<?xf32>) -> tensor<?xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(b, s) -> (b, s)>, affine_map<(b, s) -> (b)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%m : tensor<?x?xf32>) outs(%mf : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.maximumf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %0, %1, %2 : tensor<?x37xf32>, tensor<f32>, tensor<?xf32>
}

