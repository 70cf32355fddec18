// RUN: heddle-opt %s --heddle-fold-layouts | FileCheck %s

// A transposition that swaps heads and positions becomes a layout attribute of the attention, so that no data is moved.
// CHECK-LABEL: @split_and_merge
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<2x3x2x4xf32>
// CHECK: %[[A:.*]] = heddle.attention %[[Q]], %{{.*}}, %{{.*}} query_layout(bshd) value_layout(bshd) result_layout(bshd)
// CHECK-NEXT: return %[[A]] : tensor<2x3x2x4xf32>
func.func @split_and_merge(%q: tensor<2x3x2x4xf32>, %k: tensor<2x2x5x4xf32>, %v: tensor<2x5x2x4xf32>) -> tensor<2x3x2x4xf32> {
  %e = tensor.empty() : tensor<2x2x3x4xf32>
  %f = tensor.empty() : tensor<2x2x5x4xf32>
  %g = tensor.empty() : tensor<2x3x2x4xf32>
  %qt = linalg.transpose ins(%q : tensor<2x3x2x4xf32>) outs(%e : tensor<2x2x3x4xf32>) permutation = [0, 2, 1, 3]
  %vt = linalg.transpose ins(%v : tensor<2x5x2x4xf32>) outs(%f : tensor<2x2x5x4xf32>) permutation = [0, 2, 1, 3]
  %a = heddle.attention %qt, %k, %vt : (tensor<2x2x3x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x3x4xf32>
  %t = linalg.transpose ins(%a : tensor<2x2x3x4xf32>) outs(%g : tensor<2x3x2x4xf32>) permutation = [0, 2, 1, 3]
  return %t : tensor<2x3x2x4xf32>
}

// A layout attribute cannot express the first transpose, which swaps other dimensions. The last transpose remains
// because the result of heddle.attention has another use.

// CHECK-LABEL: @stays
// CHECK: linalg.transpose
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK: linalg.transpose
func.func @stays(%q: tensor<2x2x4x3xf32>, %k: tensor<2x2x5x4xf32>, %v: tensor<2x2x5x4xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x2x3x4xf32>) {
  %e = tensor.empty() : tensor<2x2x3x4xf32>
  %g = tensor.empty() : tensor<2x3x2x4xf32>
  %qt = linalg.transpose ins(%q : tensor<2x2x4x3xf32>) outs(%e : tensor<2x2x3x4xf32>) permutation = [0, 1, 3, 2]
  %a = heddle.attention %qt, %k, %v : (tensor<2x2x3x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x3x4xf32>
  %t = linalg.transpose ins(%a : tensor<2x2x3x4xf32>) outs(%g : tensor<2x3x2x4xf32>) permutation = [0, 2, 1, 3]
  return %t, %a : tensor<2x3x2x4xf32>, tensor<2x2x3x4xf32>
}
