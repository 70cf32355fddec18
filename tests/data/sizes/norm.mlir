// Rows of any length are normalised to mean 0 and variance 1. This is not recognised as a layer_norm, because the
// length of the rows lies in a range.
func.func @main(%x: tensor<?x?xf32> {heddle.name = "x", heddle.dims = ["b", "s"]}) -> (tensor<?x?xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %small = arith.constant 1.0e-5 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = arith.index_cast %s : index to i64
  %f = arith.sitofp %i : i64 to f32
  %n = tensor.splat %f[%b] : tensor<?xf32>
  %epsilon = tensor.splat %small[%b] : tensor<?xf32>
  %row = tensor.empty(%b) : tensor<?xf32>
  %all = tensor.empty(%b, %s) : tensor<?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce {arith.addf} ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<?xf32>
  %means = linalg.broadcast ins(%mean : tensor<?xf32>) outs(%all : tensor<?x?xf32>) dimensions = [1]
  %d = arith.subf %x, %means : tensor<?x?xf32>
  %q = arith.mulf %d, %d : tensor<?x?xf32>
  %squares = linalg.reduce {arith.addf} ins(%q : tensor<?x?xf32>) outs(%start : tensor<?xf32>) dimensions = [1]
  %variance = arith.divf %squares, %n : tensor<?xf32>
  %shifted = arith.addf %variance, %epsilon : tensor<?xf32>
  %root = math.sqrt %shifted : tensor<?xf32>
  %roots = linalg.broadcast ins(%root : tensor<?xf32>) outs(%all : tensor<?x?xf32>) dimensions = [1]
  %y = arith.divf %d, %roots : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
