// One size has two names, b and c. Only the elementwise product shows that they are equal.
func.func @main(%x: tensor<?x5xf32> {heddle.dims = ["a", ""], heddle.name = "x"},
                %z: tensor<?x5xf32> {heddle.dims = ["b", ""], heddle.name = "z"},
                %m: tensor<?x5xf32> {heddle.dims = ["c", ""], heddle.name = "m"})
    -> (tensor<?x5xf32> {heddle.name = "y"}, tensor<?x5xf32> {heddle.name = "w"}) {
  %1 = arith.mulf %z, %m : tensor<?x5xf32>
  %2 = arith.mulf %x, %x : tensor<?x5xf32>
  return %1, %2 : tensor<?x5xf32>, tensor<?x5xf32>
}
