// RUN: heddle-opt %s --heddle-recognise=remarks --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-NOT: heddle.attention

// Each function resembles attention, but computes something else. Most sizes are equal, so the shapes would also fit
// attention. If the pass replaced a function by heddle.attention, results would be wrong. The remarks give the reasons.

// The softmax is taken over the queries instead of the keys.
func.func @axis(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %kt = linalg.transpose ins(%k : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  // expected-remark @+1 {{linalg.matmul is not recognised as a layer: its right operand is not a weight}}
  %s = linalg.matmul ins(%q, %kt : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{linalg.softmax is not recognised as a layer: softmax over dimension 0, not over the last one}}
  %p = linalg.softmax dimension(0) ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{linalg.matmul is not recognised as a layer: its right operand is not a weight}}
  %o = linalg.matmul ins(%p, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// The probabilities are transposed before the product with the values, so the sum runs over the queries.
func.func @pair(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %kt = linalg.transpose ins(%k : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  // expected-remark @+1 {{its right operand is not a weight}}
  %s = linalg.matmul ins(%q, %kt : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{linalg.softmax is not recognised as a layer: its result is not the left operand of a product with the values}}
  %p = linalg.softmax dimension(1) ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = linalg.transpose ins(%p : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  // expected-remark @+1 {{its right operand is not a weight}}
  %o = linalg.matmul ins(%t, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// The scores [4, 4] are reshaped to [8, 2], so each row of the softmax is half a row of the scores.
func.func @other_rows(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<2x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %zero84 = arith.constant dense<0.0> : tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x2xf32>
  %e44 = tensor.empty() : tensor<4x4xf32>
  %kt = linalg.transpose ins(%k : tensor<4x4xf32>) outs(%e44 : tensor<4x4xf32>) permutation = [1, 0]
  // expected-remark @+1 {{its right operand is not a weight}}
  %s = linalg.matmul ins(%q, %kt : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %f = tensor.collapse_shape %s [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %r = tensor.expand_shape %f [[0, 1]] output_shape [8, 2] : tensor<16xf32> into tensor<8x2xf32>
  // expected-remark @+1 {{the scores are reshaped before the softmax, so its rows are not rows of the scores}}
  %p = linalg.softmax dimension(1) ins(%r : tensor<8x2xf32>) outs(%e : tensor<8x2xf32>) -> tensor<8x2xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %o = linalg.matmul ins(%p, %v : tensor<8x2xf32>, tensor<2x4xf32>) outs(%zero84 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// There is no product before the softmax.
func.func @no_product(%s: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark @+1 {{its operand is not a matrix of attention scores: not a product of matrices}}
  %p = linalg.softmax dimension(1) ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %o = linalg.matmul ins(%p, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// All sizes are equal, so the shapes fit although the keys are not transposed.
func.func @keys_as_they_are(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %s = linalg.matmul ins(%q, %k : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{the elements of a key are not next to each other: keys are not transposed, or they are transposed in another pair of dimensions}}
  %p = linalg.softmax dimension(1) ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %o = linalg.matmul ins(%p, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// The transposition exchanges heads and sequence instead of sequence and head dimension.
func.func @other_pair(%q: tensor<2x4x4x4xf32>, %k: tensor<2x4x4x4xf32>, %v: tensor<2x4x4x4xf32>) -> tensor<8x4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<8x4x4xf32>
  %e = tensor.empty() : tensor<8x4x4xf32>
  %e4 = tensor.empty() : tensor<2x4x4x4xf32>
  %kt = linalg.transpose ins(%k : tensor<2x4x4x4xf32>) outs(%e4 : tensor<2x4x4x4xf32>) permutation = [0, 2, 1, 3]
  %qc = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x4x4x4xf32> into tensor<8x4x4xf32>
  %kc = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<2x4x4x4xf32> into tensor<8x4x4xf32>
  %vc = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<2x4x4x4xf32> into tensor<8x4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %s = linalg.batch_matmul ins(%qc, %kc : tensor<8x4x4xf32>, tensor<8x4x4xf32>) outs(%zero : tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
  // expected-remark @+1 {{the elements of a key are not next to each other}}
  %p = linalg.softmax dimension(2) ins(%s : tensor<8x4x4xf32>) outs(%e : tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %o = linalg.batch_matmul ins(%p, %vc : tensor<8x4x4xf32>, tensor<8x4x4xf32>) outs(%zero : tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
  return %o : tensor<8x4x4xf32>
}

// -----

// The indexing map of the second product transposes the probabilities.
func.func @weights_by_columns(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %z = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %s = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%q, %k : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{its result is not the left operand of a product with the values}}
  %p = linalg.softmax dimension(1) ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %o = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%p, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// The indexing map of the second product transposes the values.
func.func @values_by_columns(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %z = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %s = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%q, %k : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{the elements of a value are not next to each other: another pair of dimensions is transposed}}
  %p = linalg.softmax dimension(1) ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %o = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%p, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// The indexing map of the first product transposes the queries.
func.func @queries_by_columns(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %z = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %s = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%q, %k : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{the elements of a query are not next to each other: another pair of dimensions is transposed}}
  %p = linalg.softmax dimension(1) ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %o = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%p, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// The scores are transposed before the softmax.
func.func @scores_transposed(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %z = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %c = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%q, %k : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.transpose ins(%c : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  // expected-remark @+1 {{its operand is not a matrix of attention scores: not a product of matrices}}
  %p = linalg.softmax dimension(1) ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %o = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%p, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// The probabilities are squared and divided by the sums of the squares.
func.func @renormalised(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %none = arith.constant dense<0.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %kt = linalg.transpose ins(%k : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  // expected-remark @+1 {{its right operand is not a weight}}
  %s = linalg.matmul ins(%q, %kt : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{its result is not the left operand of a product with the values}}
  %p = linalg.softmax dimension(1) ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %w = arith.mulf %p, %p : tensor<4x4xf32>
  %sum = linalg.reduce ins(%w : tensor<4x4xf32>) outs(%none : tensor<4xf32>) dimensions = [1]
    (%x: f32, %y: f32) { %z = arith.addf %x, %y : f32 linalg.yield %z : f32 }
  %sums = linalg.broadcast ins(%sum : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [1]
  %n = arith.divf %w, %sums : tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %o = linalg.matmul ins(%n, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// Each score is multiplied by the largest score of its row. An operand of heddle.attention cannot depend on the scores.
func.func @by_largest(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %none = arith.constant dense<0xFF800000> : tensor<4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %kt = linalg.transpose ins(%k : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  // expected-remark @+1 {{its right operand is not a weight}}
  %s = linalg.matmul ins(%q, %kt : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %top = linalg.reduce ins(%s : tensor<4x4xf32>) outs(%none : tensor<4xf32>) dimensions = [1]
    (%x: f32, %y: f32) { %z = arith.maximumf %x, %y : f32 linalg.yield %z : f32 }
  %tops = linalg.broadcast ins(%top : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [1]
  %m = arith.mulf %s, %tops : tensor<4x4xf32>
  // expected-remark @+1 {{a tensor that changes scores or probabilities is computed from the scores}}
  %p = linalg.softmax dimension(1) ins(%m : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %o = linalg.matmul ins(%p, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// The operand of the softmax is the elementwise product of two score matrices.
func.func @two_products(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %kt = linalg.transpose ins(%k : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %vt = linalg.transpose ins(%v : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  // expected-remark @+1 {{its right operand is not a weight}}
  %s = linalg.matmul ins(%q, %kt : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %t = linalg.matmul ins(%q, %vt : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = arith.mulf %s, %t : tensor<4x4xf32>
  // expected-remark @+1 {{its operand is not a matrix of attention scores: not a product of matrices}}
  %p = linalg.softmax dimension(1) ins(%m : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{its right operand is not a weight}}
  %o = linalg.matmul ins(%p, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}
