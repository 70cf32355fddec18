// Queries times transposed keys, for 2 batch entries with 3 heads. The product contracts over the innermost dimension
// of both operands.
#a = affine_map<(b, h, m, n, k) -> (b, h, m, k)>
#b = affine_map<(b, h, m, n, k) -> (b, h, n, k)>
#c = affine_map<(b, h, m, n, k) -> (b, h, m, n)>
func.func @k0(%x: tensor<2x3x35x39xf32> {bufferization.writable = false}, %y: tensor<2x3x50x39xf32> {bufferization.writable = false},
              %out: tensor<2x3x35x50xf32> {bufferization.writable = true}) -> tensor<2x3x35x50xf32> attributes {heddle.kernel} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x35x50xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x3x35x50xf32>) -> tensor<2x3x35x50xf32>
  %2 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x3x35x39xf32>, tensor<2x3x50x39xf32>) outs(%1 : tensor<2x3x35x50xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %3 = arith.mulf %p, %q : f32
    %4 = arith.addf %acc, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x3x35x50xf32>
  return %2 : tensor<2x3x35x50xf32>
}
