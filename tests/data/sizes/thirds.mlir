// The size `c` must be a multiple of 3, such as 3 itself. Although 3 is also 2 + 1, `c` must not be taken for a sum of
// other sizes.
func.func @main(%x: tensor<?x5xf32> {heddle.dims = ["a", ""], heddle.name = "x"},
                %m: tensor<?x5xf32> {heddle.dims = ["c", ""], heddle.name = "m"}) -> (tensor<?x5xf32> {heddle.name = "y"}, tensor<?x3x5xf32> {heddle.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %m, %c0 : tensor<?x5xf32>
  %k = arith.divui %n, %c3 : index
  %e = tensor.expand_shape %m [[0, 1], [2]] output_shape [%k, 3, 5] : tensor<?x5xf32> into tensor<?x3x5xf32>
  %1 = arith.mulf %x, %x : tensor<?x5xf32>
  %2 = arith.mulf %e, %e : tensor<?x3x5xf32>
  return %1, %2 : tensor<?x5xf32>, tensor<?x3x5xf32>
}
