// Values that the dialect arith computes from sizes are used as extents, offsets and data: the first and the last
// min(s, 3) rows, padding to a multiple of four rows, and a number that depends on whether s is odd. The indices of
// lookups in x are less than the size s.
func.func @main(%x: tensor<?x5xf32> {heddle.dims = ["s", ""], heddle.name = "x"}, %m: tensor<?xi64> {heddle.dims = ["t"], heddle.name = "m"})
    -> (tensor<?x5xf32> {heddle.name = "first"}, tensor<?x5xf32> {heddle.name = "padded"}, tensor<?x5xf32> {heddle.name = "scaled"}, tensor<?xf32> {heddle.name = "table"}, tensor<?x5xf32> {heddle.name = "last"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %s = tensor.dim %x, %c0 : tensor<?x5xf32>
  %t = tensor.dim %m, %c0 : tensor<?xi64>
  %few = arith.minui %s, %c3 : index
  %first = tensor.extract_slice %x[0, 0] [%few, 5] [1, 1] : tensor<?x5xf32> to tensor<?x5xf32>
  %begin = arith.subi %s, %few : index
  %last = tensor.extract_slice %x[%begin, 0] [%few, 5] [1, 1] : tensor<?x5xf32> to tensor<?x5xf32>
  %q = arith.ceildivui %s, %c4 : index
  %up = arith.muli %q, %c4 : index
  %more = arith.subi %up, %s : index
  %padded = tensor.pad %x low[0, 0] high[%more, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x5xf32> to tensor<?x5xf32>
  %c2 = arith.constant 2 : index
  %r = arith.remui %s, %c2 : index
  %st = arith.muli %s, %t : index
  %ri = arith.index_cast %r : index to i32
  %si = arith.index_cast %st : index to i32
  %both = arith.addi %ri, %si : i32
  %f = arith.sitofp %both : i32 to f32
  %root = math.sqrt %f : f32
  %e = tensor.empty(%s) : tensor<?x5xf32>
  %fill = linalg.fill ins(%root : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %scaled = arith.mulf %x, %fill : tensor<?x5xf32>
  %te = tensor.empty(%t) : tensor<?xf32>
  %table = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%m : tensor<?xi64>) outs(%te : tensor<?xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = arith.index_cast %in : i64 to index
    %v = tensor.extract %x[%i, %c4] : tensor<?x5xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %first, %padded, %scaled, %table, %last : tensor<?x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>, tensor<?xf32>, tensor<?x5xf32>
}
