// RUN: heddle-opt %s --heddle-recognise --split-input-file | FileCheck %s

// A product with a weight becomes heddle.linear, together with the bias that is added. Reshapes around the product and
// transpositions of the weight become part of the layer. The functions named square_* multiply only 4x4 matrices:
// if all sizes are equal, a wrong match has valid shapes, too.

// The rows of all batch entries are merged for the product, and the bias is added after the rows are split again.

// CHECK-LABEL: @bias
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2x3x8xf32>
// CHECK-DAG: %[[W:.*]] = heddle.weight "w" : tensor<8x9xf32>
// CHECK-DAG: %[[B:.*]] = heddle.weight "b" : tensor<9xf32>
// CHECK: %[[L:.*]] = heddle.linear %[[X]], %[[W]] bias(%[[B]]) :
// CHECK-NEXT: return %[[L]]
func.func @bias(%x: tensor<2x3x8xf32>) -> tensor<2x3x9xf32> {
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %e = tensor.empty() : tensor<2x3x9xf32>
  %w = heddle.weight "w" : tensor<8x9xf32>
  %b = heddle.weight "b" : tensor<9xf32>
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<6x8xf32>, tensor<8x9xf32>) outs(%zero : tensor<6x9xf32>) -> tensor<6x9xf32>
  %z = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 3, 9] : tensor<6x9xf32> into tensor<2x3x9xf32>
  %bs = linalg.broadcast ins(%b : tensor<9xf32>) outs(%e : tensor<2x3x9xf32>) dimensions = [0, 1]
  %r = arith.addf %bs, %z : tensor<2x3x9xf32>
  return %r : tensor<2x3x9xf32>
}

// -----

// The transposition of a weight becomes a step of its recipe, the list of steps after `via` that are applied when the
// weight is stored. The repetition of the weight for a batched product disappears.

// CHECK-LABEL: @transposed
// CHECK: %[[W:.*]] = heddle.weight "w" via [#heddle.transpose<[1, 0]>] : tensor<8x9xf32>
// CHECK: heddle.linear %{{.*}}, %[[W]] : (tensor<2x3x8xf32>, tensor<8x9xf32>) -> tensor<2x3x9xf32>
func.func @transposed(%x: tensor<2x3x8xf32>) -> tensor<2x3x9xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x3x9xf32>
  %w = heddle.weight "w" : tensor<9x8xf32>
  %e = tensor.empty() : tensor<8x9xf32>
  %eb = tensor.empty() : tensor<2x8x9xf32>
  %t = linalg.transpose ins(%w : tensor<9x8xf32>) outs(%e : tensor<8x9xf32>) permutation = [1, 0]
  %ts = linalg.broadcast ins(%t : tensor<8x9xf32>) outs(%eb : tensor<2x8x9xf32>) dimensions = [0]
  %y = linalg.batch_matmul ins(%x, %ts : tensor<2x3x8xf32>, tensor<2x8x9xf32>) outs(%zero : tensor<2x3x9xf32>) -> tensor<2x3x9xf32>
  return %y : tensor<2x3x9xf32>
}

// -----

// The weights of several layers are rows of one tensor. The layer of this function uses a transposed slice of the
// tensor.

// CHECK-LABEL: @part_transposed
// CHECK: %[[W:.*]] = heddle.weight "w" via [#heddle.slice<[9, 0], [9, 8]>, #heddle.transpose<[1, 0]>] : tensor<8x9xf32>
// CHECK: heddle.linear %{{.*}}, %[[W]] : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
func.func @part_transposed(%x: tensor<6x8xf32>) -> tensor<6x9xf32> {
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %w = heddle.weight "w" : tensor<27x8xf32>
  %part = tensor.extract_slice %w[9, 0] [9, 8] [1, 1] : tensor<27x8xf32> to tensor<9x8xf32>
  %e = tensor.empty() : tensor<8x9xf32>
  %t = linalg.transpose ins(%part : tensor<9x8xf32>) outs(%e : tensor<8x9xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%x, %t : tensor<6x8xf32>, tensor<8x9xf32>) outs(%zero : tensor<6x9xf32>) -> tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// -----

// A product of two inputs has no weight.

// CHECK-LABEL: @no_weight
// CHECK-NOT: heddle.linear
// CHECK: linalg.matmul
func.func @no_weight(%x: tensor<6x8xf32>, %w: tensor<8x9xf32>) -> tensor<6x9xf32> {
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %y = linalg.matmul ins(%x, %w : tensor<6x8xf32>, tensor<8x9xf32>) outs(%zero : tensor<6x9xf32>) -> tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// -----

// The input is transposed twice, the second time by the indexing map of the product. So the product reads the rows of
// the original input, and no transposition remains.

// CHECK-LABEL: @square_twice_transposed
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<4x4xf32>
// CHECK: heddle.linear %[[X]], %{{.*}} :
func.func @square_twice_transposed(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %w = heddle.weight "w" : tensor<4x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%t, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// The indexing map of the product transposes the input, so a transposition before the layer is needed.

// CHECK-LABEL: @square_transposed
// CHECK: %[[T:.*]] = linalg.transpose
// CHECK: heddle.linear %[[T]], %{{.*}} :
func.func @square_transposed(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %w = heddle.weight "w" : tensor<4x4xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// Rows are merged, and the product contracts over the merged rows instead of the columns. So the merged input must be
// transposed before the layer.

// CHECK-LABEL: @square_merged
// CHECK: linalg.transpose
// CHECK: heddle.linear
func.func @square_merged(%x: tensor<2x2x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %w = heddle.weight "w" : tensor<4x4xf32>
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x2x4xf32> into tensor<4x4xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%rows, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// A vector with one number for each row is not a bias, though its length equals the number of columns.

// CHECK-LABEL: @square_column
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
// CHECK: arith.addf
func.func @square_column(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %w = heddle.weight "w" : tensor<4x4xf32>
  %b = heddle.weight "b" : tensor<4xf32>
  %y = heddle.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %bs = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [1]
  %r = arith.addf %y, %bs : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// The number of columns of a weight must not depend on a size in a range, since a weight is packed into panels of
// columns when the model is compiled. 31 is the placeholder of the size n in the types.

// CHECK-LABEL: @columns_in_a_range
// CHECK: linalg.matmul
module attributes {heddle.sizes = [{name = "n", low = 1, high = 9, placeholder = 31}]} {
  func.func @columns_in_a_range(%x: tensor<31x8xf32>) -> tensor<31x31xf32> {
    %zero = arith.constant dense<0.0> : tensor<31x31xf32>
    %w = arith.constant dense<1.0> : tensor<8x31xf32>
    %y = linalg.matmul ins(%x, %w : tensor<31x8xf32>, tensor<8x31xf32>) outs(%zero : tensor<31x31xf32>) -> tensor<31x31xf32>
    return %y : tensor<31x31xf32>
  }
}
