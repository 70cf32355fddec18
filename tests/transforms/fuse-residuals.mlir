// RUN: heddle-opt %s --heddle-fuse-residuals | FileCheck %s

// A layer computes one term of the sum before the norm. The other term becomes the residual of this layer, because an
// addition in the layer's epilogue (the operations on each computed tile) costs nothing.

// CHECK-LABEL: @post_norm
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2x3x8xf32>
// CHECK: %[[L:.*]] = heddle.linear %[[X]], %{{.*}} residual(%[[X]])
// CHECK: heddle.layer_norm %[[L]]
// CHECK-NOT: residual
func.func @post_norm(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %w = heddle.weight "w" : tensor<8x8xf32>
  %y = heddle.linear %x, %w : (tensor<2x3x8xf32>, tensor<8x8xf32>) -> tensor<2x3x8xf32>
  %s = arith.addf %x, %y : tensor<2x3x8xf32>
  %n = heddle.layer_norm %s : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %n : tensor<2x3x8xf32>
}

// If two layers compute the terms of a sum, the result of the earlier layer becomes the residual of the later layer,
// reshaped if necessary.

// CHECK-LABEL: @two_layers
// CHECK: %[[A:.*]] = heddle.linear %{{.*}}, %{{[a-z0-9]*}} :
// CHECK: %[[B:.*]] = tensor.collapse_shape %[[A]]
// CHECK: heddle.ffn {{.*}} residual(%[[B]])
// CHECK-NOT: arith.addf
func.func @two_layers(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %w = heddle.weight "w" : tensor<8x8xf32>
  %y = heddle.linear %x, %w : (tensor<2x3x8xf32>, tensor<8x8xf32>) -> tensor<2x3x8xf32>
  %r = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %f = heddle.ffn %r, %w, %w : (tensor<6x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %e = tensor.expand_shape %f [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
  %s = arith.addf %e, %y : tensor<2x3x8xf32>
  return %s : tensor<2x3x8xf32>
}

// Both terms are in memory, and no layer computes one of them, so the norm adds them.

// CHECK-LABEL: @norm_adds
// CHECK: heddle.layer_norm %{{.*}} residual(%{{.*}})
func.func @norm_adds(%x: tensor<6x8xf32>, %y: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %s = arith.addf %x, %y : tensor<6x8xf32>
  %n = heddle.layer_norm %s : (tensor<6x8xf32>) -> tensor<6x8xf32>
  return %n : tensor<6x8xf32>
}

// Two sums remain. The term %y of the first sum is also returned, so the layer that computes %y must also store %y
// without the sum. The term %rows of the second sum is broadcast from a row: it is computed where it is used, while
// a residual would have to be written to memory.

// CHECK-LABEL: @stays
// CHECK: heddle.linear %{{.*}}, %{{[a-z0-9]*}} :
// CHECK: arith.addf
// CHECK: heddle.linear %{{.*}}, %{{[a-z0-9]*}} :
// CHECK: arith.addf
func.func @stays(%x: tensor<6x8xf32>, %row: tensor<8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) {
  %w = heddle.weight "w" : tensor<8x8xf32>
  %v = heddle.weight "v" : tensor<8x8xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  %rows = linalg.broadcast ins(%row : tensor<8xf32>) outs(%e : tensor<6x8xf32>) dimensions = [0]
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %s = arith.addf %x, %y : tensor<6x8xf32>
  %z = heddle.linear %x, %v : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %t = arith.addf %z, %rows : tensor<6x8xf32>
  return %y, %s, %t : tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>
}
