// A kernel that contains no layer. It looks up rows of a table by index and adds a broadcast vector. These operations
// are lowered to one loop.
func.func @k0(%ids: tensor<2x7xi64> {bufferization.writable = false}, %table: tensor<100x39xf32> {bufferization.writable = false},
              %v: tensor<39xf32> {bufferization.writable = false},
              %out: tensor<2x7x39xf32> {bufferization.writable = true}) -> tensor<2x7x39xf32> attributes {heddle.kernel} {
  %0 = tensor.empty() : tensor<2x7x39xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, s, d) -> (b, s)>, affine_map<(b, s, d) -> (b, s, d)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ids : tensor<2x7xi64>) outs(%0 : tensor<2x7x39xf32>) {
  ^bb0(%id: i64, %o: f32):
    %i = arith.index_cast %id : i64 to index
    %d = linalg.index 2 : index
    %e = tensor.extract %table[%i, %d] : tensor<100x39xf32>
    linalg.yield %e : f32
  } -> tensor<2x7x39xf32>
  %2 = linalg.broadcast ins(%v : tensor<39xf32>) outs(%0 : tensor<2x7x39xf32>) dimensions = [0, 1]
  %3 = arith.addf %1, %2 : tensor<2x7x39xf32>
  return %3 : tensor<2x7x39xf32>
}
