// Softmax along a dimension whose length lies in a range.
func.func @main(%x: tensor<?x?xf32> {heddle.name = "x", heddle.dims = ["b", "s"]})
    -> (tensor<?x?xf32> {heddle.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%b, %s) : tensor<?x?xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
