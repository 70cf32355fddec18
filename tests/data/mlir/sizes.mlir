// The shapes in this function are computed from the sizes `batch` and `length`.
func.func @main(%x: tensor<?x?x6xf32> {heddle.dims = ["batch", "length", ""]}, %w: tensor<6x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x?x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x6xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x6xf32>
  %rows = arith.muli %b, %s : index
  %zero = arith.constant 0.0 : f32
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x6xf32> into tensor<?x6xf32>
  %e = tensor.empty(%rows) : tensor<?x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = linalg.matmul ins(%flat, %w : tensor<?x6xf32>, tensor<6x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %n = math.tanh %m : tensor<?x4xf32>
  %norm = heddle.rms_norm %n : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %half = arith.divui %s, %c2 : index
  %rest = arith.subi %s, %half : index
  %first = tensor.extract_slice %x[0, 0, 0] [%b, %half, 6] [1, 1, 1] : tensor<?x?x6xf32> to tensor<?x?x6xf32>
  %last = tensor.extract_slice %x[0, %half, 0] [%b, %rest, 6] [1, 1, 1] : tensor<?x?x6xf32> to tensor<?x?x6xf32>
  %turned = tensor.concat dim(1) %last, %first : (tensor<?x?x6xf32>, tensor<?x?x6xf32>) -> tensor<?x?x6xf32>
  %padded = tensor.pad %turned low[0, %half, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x?x6xf32> to tensor<?x?x6xf32>
  %longer = arith.addi %s, %half : index
  %g = tensor.generate %b, %longer {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x?x6xf32>
  %sum = arith.addf %padded, %g : tensor<?x?x6xf32>
  %one = tensor.expand_shape %sum [[0], [1], [2, 3]] output_shape [%b, %longer, 6, 1]
    : tensor<?x?x6xf32> into tensor<?x?x6x1xf32>
  %back = tensor.collapse_shape %one [[0], [1], [2, 3]] : tensor<?x?x6x1xf32> into tensor<?x?x6xf32>
  %same = tensor.cast %back : tensor<?x?x6xf32> to tensor<?x?x?xf32>
  %cast = tensor.cast %same : tensor<?x?x?xf32> to tensor<?x?x6xf32>
  %part = tensor.extract_slice %cast[0, 0, 1] [%b, %longer, 2] [1, 1, 1] : tensor<?x?x6xf32> to tensor<?x?x2xf32>
  %put = tensor.insert_slice %part into %cast[0, 0, 3] [%b, %longer, 2] [1, 1, 1] : tensor<?x?x2xf32> into tensor<?x?x6xf32>
  return %norm, %put : tensor<?x4xf32>, tensor<?x?x6xf32>
}
