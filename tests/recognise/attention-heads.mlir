// RUN: heddle-opt %s --heddle-recognise --canonicalize --split-input-file | FileCheck %s

// Attention is also recognised if several query heads share a key head, and if the operands have no dimension of
// heads.

// Each key and value head is repeated for two query heads. The repetition becomes part of heddle.attention, which
// supports fewer key heads than query heads.

// CHECK-LABEL: @grouped
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<2x4x3x8xf32>, %[[K:[a-z0-9]*]]: tensor<2x2x5x8xf32>, %[[V:[a-z0-9]*]]: tensor<2x2x5x8xf32>
// CHECK-NEXT: %[[A:.*]] = heddle.attention %[[Q]], %[[K]], %[[V]] scale(1.0) empty_row(nan) :
// CHECK-NEXT: return %[[A]]
func.func @grouped(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %z = arith.constant dense<0.0> : tensor<8x3x5xf32>
  %z2 = arith.constant dense<0.0> : tensor<8x3x8xf32>
  %e5 = tensor.empty() : tensor<2x2x2x5x8xf32>
  %e = tensor.empty() : tensor<8x3x5xf32>
  %et = tensor.empty() : tensor<8x8x5xf32>
  %kb = linalg.broadcast ins(%k : tensor<2x2x5x8xf32>) outs(%e5 : tensor<2x2x2x5x8xf32>) dimensions = [2]
  %vb = linalg.broadcast ins(%v : tensor<2x2x5x8xf32>) outs(%e5 : tensor<2x2x2x5x8xf32>) dimensions = [2]
  %kc = tensor.collapse_shape %kb [[0, 1, 2], [3], [4]] : tensor<2x2x2x5x8xf32> into tensor<8x5x8xf32>
  %vc = tensor.collapse_shape %vb [[0, 1, 2], [3], [4]] : tensor<2x2x2x5x8xf32> into tensor<8x5x8xf32>
  %qc = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x4x3x8xf32> into tensor<8x3x8xf32>
  %kt = linalg.transpose ins(%kc : tensor<8x5x8xf32>) outs(%et : tensor<8x8x5xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%qc, %kt : tensor<8x3x8xf32>, tensor<8x8x5xf32>) outs(%z : tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<8x3x5xf32>) outs(%e : tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  %o = linalg.batch_matmul ins(%p, %vc : tensor<8x3x5xf32>, tensor<8x5x8xf32>) outs(%z2 : tensor<8x3x8xf32>) -> tensor<8x3x8xf32>
  %r = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [2, 4, 3, 8] : tensor<8x3x8xf32> into tensor<2x4x3x8xf32>
  return %r : tensor<2x4x3x8xf32>
}

// -----

// The operands have three dimensions: there is one head for each batch entry. The mask has a boolean for each batch
// entry and key.

// CHECK-LABEL: @one_head
// CHECK-DAG: tensor.expand_shape %{{.*}} : tensor<2x3x8xf32> into tensor<2x1x3x8xf32>
// CHECK-DAG: tensor.expand_shape %{{.*}} : tensor<2x5xi1> into tensor<2x1x1x5xi1>
// CHECK: heddle.attention
func.func @one_head(%q: tensor<2x3x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x8xf32>, %m: tensor<2x5xi1>) -> tensor<2x3x8xf32> {
  %z = arith.constant dense<0.0> : tensor<2x3x5xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x3x8xf32>
  %low = arith.constant dense<0xFF800000> : tensor<2x3x5xf32>
  %e = tensor.empty() : tensor<2x3x5xf32>
  %em = tensor.empty() : tensor<2x3x5xi1>
  %ek = tensor.empty() : tensor<2x8x5xf32>
  %kt = linalg.transpose ins(%k : tensor<2x5x8xf32>) outs(%ek : tensor<2x8x5xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x3x8xf32>, tensor<2x8x5xf32>) outs(%z : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %mb = linalg.broadcast ins(%m : tensor<2x5xi1>) outs(%em : tensor<2x3x5xi1>) dimensions = [1]
  %w = arith.select %mb, %s, %low : tensor<2x3x5xi1>, tensor<2x3x5xf32>
  %p = linalg.softmax dimension(2) ins(%w : tensor<2x3x5xf32>) outs(%e : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x3x5xf32>, tensor<2x5x8xf32>) outs(%z2 : tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %o : tensor<2x3x8xf32>
}
