// Softmax along a dimension that is a size in a range: along the middle dimension and along the last one.
func.func @main(%x: tensor<?x?x37xf32> {heddle.name = "x", heddle.dims = ["b", "s", ""]},
                %m: tensor<?x?xf32> {heddle.name = "m", heddle.dims = ["b", "s"]})
    -> (tensor<?x?x37xf32> {heddle.name = "middle"}, tensor<?x?xf32> {heddle.name = "last"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x37xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x37xf32>
  %e = tensor.empty(%b, %s) : tensor<?x?x37xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x?x37xf32>) outs(%e : tensor<?x?x37xf32>) -> tensor<?x?x37xf32>
  %me = tensor.empty(%b, %s) : tensor<?x?xf32>
  %1 = linalg.softmax dimension(1) ins(%m : tensor<?x?xf32>) outs(%me : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?x37xf32>, tensor<?x?xf32>
}

