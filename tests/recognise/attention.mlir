// RUN: heddle-opt %s --heddle-recognise --canonicalize --split-input-file | FileCheck %s

// Attention that an exporter wrote as products, a softmax and reshapes becomes one operation heddle.attention, even if
// the probabilities are also used elsewhere. The operations remain if the values are computed from the probabilities.

// Multi-head attention as torch exports it: heads are split, one transposition moves the heads of the keys and
// transposes the keys, scores are divided by sqrt(D), and batch and heads are merged into one dimension.

// CHECK-LABEL: @multi_head
// CHECK-SAME: %[[Q:.*]]: tensor<2x3x8xf32>, %[[K:.*]]: tensor<2x5x8xf32>, %[[V:.*]]: tensor<2x5x8xf32>
func.func @multi_head(%q: tensor<2x3x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x3x8xf32> {
  %zero = arith.constant 0.0 : f32
  %divisor = arith.constant dense<2.0> : tensor<2x2x3x5xf32>
  %qe = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 3, 2, 4] : tensor<2x3x8xf32> into tensor<2x3x2x4xf32>
  %ke = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<2x5x8xf32> into tensor<2x5x2x4xf32>
  %ve = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<2x5x8xf32> into tensor<2x5x2x4xf32>
  %qi = tensor.empty() : tensor<2x2x3x4xf32>
  %qt = linalg.transpose ins(%qe : tensor<2x3x2x4xf32>) outs(%qi : tensor<2x2x3x4xf32>) permutation = [0, 2, 1, 3]
  %ki = tensor.empty() : tensor<2x2x4x5xf32>
  %kt = linalg.transpose ins(%ke : tensor<2x5x2x4xf32>) outs(%ki : tensor<2x2x4x5xf32>) permutation = [0, 2, 3, 1]
  %vi = tensor.empty() : tensor<2x2x5x4xf32>
  %vt = linalg.transpose ins(%ve : tensor<2x5x2x4xf32>) outs(%vi : tensor<2x2x5x4xf32>) permutation = [0, 2, 1, 3]
  %qc = tensor.collapse_shape %qt [[0, 1], [2], [3]] : tensor<2x2x3x4xf32> into tensor<4x3x4xf32>
  %kc = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<2x2x4x5xf32> into tensor<4x4x5xf32>
  %si = tensor.empty() : tensor<4x3x5xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%si : tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %s = linalg.batch_matmul ins(%qc, %kc : tensor<4x3x4xf32>, tensor<4x4x5xf32>) outs(%sf : tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %se = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [2, 2, 3, 5] : tensor<4x3x5xf32> into tensor<2x2x3x5xf32>
  %d = arith.divf %se, %divisor : tensor<2x2x3x5xf32>
  %pi = tensor.empty() : tensor<2x2x3x5xf32>
  %p = linalg.softmax dimension(3) ins(%d : tensor<2x2x3x5xf32>) outs(%pi : tensor<2x2x3x5xf32>) -> tensor<2x2x3x5xf32>
  %pc = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<2x2x3x5xf32> into tensor<4x3x5xf32>
  %vc = tensor.collapse_shape %vt [[0, 1], [2], [3]] : tensor<2x2x5x4xf32> into tensor<4x5x4xf32>
  %oi = tensor.empty() : tensor<4x3x4xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oi : tensor<4x3x4xf32>) -> tensor<4x3x4xf32>
  %o = linalg.batch_matmul ins(%pc, %vc : tensor<4x3x5xf32>, tensor<4x5x4xf32>) outs(%of : tensor<4x3x4xf32>) -> tensor<4x3x4xf32>
  %oe = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [2, 2, 3, 4] : tensor<4x3x4xf32> into tensor<2x2x3x4xf32>
  %oti = tensor.empty() : tensor<2x3x2x4xf32>
  %ot = linalg.transpose ins(%oe : tensor<2x2x3x4xf32>) outs(%oti : tensor<2x3x2x4xf32>) permutation = [0, 2, 1, 3]
  %r = tensor.collapse_shape %ot [[0], [1], [2, 3]] : tensor<2x3x2x4xf32> into tensor<2x3x8xf32>
  // CHECK-DAG: %[[QE:.*]] = tensor.expand_shape %[[Q]]
  // CHECK-DAG: %[[QT:.*]] = linalg.transpose ins(%[[QE]]{{.*}} permutation = [0, 2, 1, 3]
  // CHECK-DAG: %[[KE:.*]] = tensor.expand_shape %[[K]]
  // CHECK-DAG: %[[KT:.*]] = linalg.transpose ins(%[[KE]]{{.*}} permutation = [0, 2, 1, 3]
  // CHECK-DAG: %[[VE:.*]] = tensor.expand_shape %[[V]]
  // CHECK-DAG: %[[VT:.*]] = linalg.transpose ins(%[[VE]]{{.*}} permutation = [0, 2, 1, 3]
  // CHECK: %[[A:.*]] = heddle.attention %[[QT]], %[[KT]], %[[VT]] empty_row(nan)
  // CHECK-NEXT: tensor.empty
  // CHECK-NEXT: %[[T:.*]] = linalg.transpose ins(%[[A]]
  // CHECK-NEXT: %[[R:.*]] = tensor.collapse_shape %[[T]]
  // CHECK-NEXT: return %[[R]]
  return %r : tensor<2x3x8xf32>
}

// -----

// Operands are matrices, with one head. The attention probabilities are also a result.

// CHECK-LABEL: @single
// CHECK: %[[Q:.*]] = tensor.expand_shape %{{.*}} : tensor<3x4xf32> into tensor<1x1x3x4xf32>
// CHECK: %[[A:.*]], %[[W:.*]] = heddle.attention %[[Q]]
// CHECK-SAME: empty_row(nan) with_weights
func.func @single(%q: tensor<3x4xf32>, %k: tensor<3x4xf32>, %v: tensor<3x2xf32>) -> (tensor<3x3xf32>, tensor<3x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant dense<2.0> : tensor<f32>
  %e33 = tensor.empty() : tensor<3x3xf32>
  %e43 = tensor.empty() : tensor<4x3xf32>
  %e32 = tensor.empty() : tensor<3x2xf32>
  %kt = linalg.transpose ins(%k : tensor<3x4xf32>) outs(%e43 : tensor<4x3xf32>) permutation = [1, 0]
  %f = linalg.fill ins(%zero : f32) outs(%e33 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x3xf32>) outs(%f : tensor<3x3xf32>) -> tensor<3x3xf32>
  %b = linalg.broadcast ins(%c : tensor<f32>) outs(%e33 : tensor<3x3xf32>) dimensions = [0, 1]
  %d = arith.divf %s, %b : tensor<3x3xf32>
  %p = linalg.softmax dimension(1) ins(%d : tensor<3x3xf32>) outs(%e33 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %g = linalg.fill ins(%zero : f32) outs(%e32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x3xf32>, tensor<3x2xf32>) outs(%g : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %p, %o : tensor<3x3xf32>, tensor<3x2xf32>
}

// -----

// An operation uses the attention probabilities before the values are computed. heddle.attention returns the
// probabilities, so it must be placed after the values and before this operation.

// CHECK-LABEL: @weights_first
// CHECK: %[[V:.*]] = math.absf
// CHECK: %[[A:.*]], %[[W:.*]] = heddle.attention
// CHECK: tensor.collapse_shape %[[W]]
// CHECK: math.exp
func.func @weights_first(%q: tensor<3x4xf32>, %k: tensor<3x4xf32>, %v: tensor<3x2xf32>) -> (tensor<3x3xf32>, tensor<3x2xf32>) {
  %z = arith.constant dense<0.0> : tensor<3x3xf32>
  %z2 = arith.constant dense<0.0> : tensor<3x2xf32>
  %e33 = tensor.empty() : tensor<3x3xf32>
  %e43 = tensor.empty() : tensor<4x3xf32>
  %kt = linalg.transpose ins(%k : tensor<3x4xf32>) outs(%e43 : tensor<4x3xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x3xf32>) outs(%z : tensor<3x3xf32>) -> tensor<3x3xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x3xf32>) outs(%e33 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %x = math.exp %p : tensor<3x3xf32>
  %a = math.absf %v : tensor<3x2xf32>
  %o = linalg.matmul ins(%p, %a : tensor<3x3xf32>, tensor<3x2xf32>) outs(%z2 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %x, %o : tensor<3x3xf32>, tensor<3x2xf32>
}

// -----

// The values depend on the attention probabilities. A heddle.attention would have an operand that depends on its own
// result, so the operations remain.

// CHECK-LABEL: @weights_in_values
// CHECK: linalg.softmax
func.func @weights_in_values(%q: tensor<3x4xf32>, %k: tensor<3x4xf32>) -> tensor<3x3xf32> {
  %z = arith.constant dense<0.0> : tensor<3x3xf32>
  %e33 = tensor.empty() : tensor<3x3xf32>
  %e43 = tensor.empty() : tensor<4x3xf32>
  %kt = linalg.transpose ins(%k : tensor<3x4xf32>) outs(%e43 : tensor<4x3xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x3xf32>) outs(%z : tensor<3x3xf32>) -> tensor<3x3xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x3xf32>) outs(%e33 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %v = math.exp %p : tensor<3x3xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x3xf32>, tensor<3x3xf32>) outs(%z : tensor<3x3xf32>) -> tensor<3x3xf32>
  return %o : tensor<3x3xf32>
}
