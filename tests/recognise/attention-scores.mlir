// RUN: heddle-opt %s --heddle-recognise --split-input-file | FileCheck %s

// Operations on queries, keys, scores and probabilities become attributes and operands of heddle.attention: scale,
// mask, masked_score, bias, causal order, softcap and empty_row. Similar operations with another meaning must not
// become the same attribute.

// The scores are not scaled. The attribute scale(1.0) is explicit, since the default scale is 1 / sqrt(D).

// CHECK-LABEL: @unscaled
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} scale(1.0) empty_row(nan) :
func.func @unscaled(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x2xf32>) -> tensor<3x2xf32> {
  %zero35 = arith.constant dense<0.0> : tensor<3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %e45 = tensor.empty() : tensor<4x5xf32>
  %e35 = tensor.empty() : tensor<3x5xf32>
  %kt = linalg.transpose ins(%k : tensor<5x4xf32>) outs(%e45 : tensor<4x5xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x5xf32>) outs(%e35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x5xf32>, tensor<5x2xf32>) outs(%zero32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %o : tensor<3x2xf32>
}

// -----

// masked_fill of torch with a finite score masks an entry if the condition is true. The mask of heddle.attention is
// true for entries that remain, so the condition is negated.

// CHECK-LABEL: @finite_fill
// CHECK: %[[N:.*]] = arith.xori
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} mask(%[[N]]) masked_score(-1.0e+09) empty_row(nan) :
func.func @finite_fill(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x2xf32>, %m: tensor<5xi1>) -> tensor<3x2xf32> {
  %zero35 = arith.constant dense<0.0> : tensor<3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %e45 = tensor.empty() : tensor<4x5xf32>
  %e35 = tensor.empty() : tensor<3x5xf32>
  %kt = linalg.transpose ins(%k : tensor<5x4xf32>) outs(%e45 : tensor<4x5xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %half = arith.constant dense<0.5> : tensor<3x5xf32>
  %low = arith.constant dense<-1.0e9> : tensor<3x5xf32>
  %em = tensor.empty() : tensor<3x5xi1>
  %mb = linalg.broadcast ins(%m : tensor<5xi1>) outs(%em : tensor<3x5xi1>) dimensions = [0]
  %a = arith.mulf %s, %half : tensor<3x5xf32>
  %w = arith.select %mb, %low, %a : tensor<3x5xi1>, tensor<3x5xf32>
  %p = linalg.softmax dimension(1) ins(%w : tensor<3x5xf32>) outs(%e35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x5xf32>, tensor<5x2xf32>) outs(%zero32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %o : tensor<3x2xf32>
}

// -----

// The fill is -inf, so masked keys are removed and there is no masked_score. An entry is masked if the condition is
// false, so the condition is the mask.

// CHECK-LABEL: @infinite_fill
// CHECK: %[[M:.*]] = tensor.expand_shape %{{.*}} : tensor<3x5xi1> into tensor<1x1x3x5xi1>
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} mask(%[[M]]) scale(1.0) empty_row(nan) :
func.func @infinite_fill(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x2xf32>, %m: tensor<3x5xi1>) -> tensor<3x2xf32> {
  %zero35 = arith.constant dense<0.0> : tensor<3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %e45 = tensor.empty() : tensor<4x5xf32>
  %e35 = tensor.empty() : tensor<3x5xf32>
  %kt = linalg.transpose ins(%k : tensor<5x4xf32>) outs(%e45 : tensor<4x5xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %low = arith.constant dense<0xFF800000> : tensor<3x5xf32>
  %w = arith.select %m, %s, %low : tensor<3x5xi1>, tensor<3x5xf32>
  %p = linalg.softmax dimension(1) ins(%w : tensor<3x5xf32>) outs(%e35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x5xf32>, tensor<5x2xf32>) outs(%zero32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %o : tensor<3x2xf32>
}

// -----

// The softmax of a row whose keys are all removed is NaN. torch replaces NaN by 0 after the softmax.

// CHECK-LABEL: @guarded
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} mask(%{{.*}}) scale(1.0) empty_row(nan_to_zeros) :
// CHECK-NOT: arith.cmpf
func.func @guarded(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x2xf32>, %m: tensor<3x5xi1>) -> tensor<3x2xf32> {
  %zero35 = arith.constant dense<0.0> : tensor<3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %e45 = tensor.empty() : tensor<4x5xf32>
  %e35 = tensor.empty() : tensor<3x5xf32>
  %kt = linalg.transpose ins(%k : tensor<5x4xf32>) outs(%e45 : tensor<4x5xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %low = arith.constant dense<0xFF800000> : tensor<3x5xf32>
  %w = arith.select %m, %s, %low : tensor<3x5xi1>, tensor<3x5xf32>
  %p = linalg.softmax dimension(1) ins(%w : tensor<3x5xf32>) outs(%e35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = arith.cmpf uno, %p, %p : tensor<3x5xf32>
  %g = arith.select %n, %zero35, %p : tensor<3x5xi1>, tensor<3x5xf32>
  %o = linalg.matmul ins(%g, %v : tensor<3x5xf32>, tensor<5x2xf32>) outs(%zero32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %o : tensor<3x2xf32>
}

// -----

// An added constant that is 0 up to a diagonal and -inf after it is not causal order: adding it to a score of NaN or
// +inf makes the row NaN, while causal order removes the score.

// CHECK-LABEL: @causal_added
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} bias(%{{.*}}) scale(1.0) empty_row(nan) :
func.func @causal_added(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x2xf32>) -> tensor<3x2xf32> {
  %zero35 = arith.constant dense<0.0> : tensor<3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %e45 = tensor.empty() : tensor<4x5xf32>
  %e35 = tensor.empty() : tensor<3x5xf32>
  %kt = linalg.transpose ins(%k : tensor<5x4xf32>) outs(%e45 : tensor<4x5xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = arith.constant dense<[[0.0, 0.0, 0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<3x5xf32>
  %w = arith.addf %c, %s : tensor<3x5xf32>
  %p = linalg.softmax dimension(1) ins(%w : tensor<3x5xf32>) outs(%e35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x5xf32>, tensor<5x2xf32>) outs(%zero32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %o : tensor<3x2xf32>
}

// -----

// A constant of booleans that masks the scores after a diagonal by -inf is causal order. The last query attends to all
// keys, so the order is lower_right.

// CHECK-LABEL: @causal_lower_right
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} causal(lower_right) scale(1.0) empty_row(nan) :
func.func @causal_lower_right(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x2xf32>) -> tensor<3x2xf32> {
  %zero35 = arith.constant dense<0.0> : tensor<3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %e45 = tensor.empty() : tensor<4x5xf32>
  %e35 = tensor.empty() : tensor<3x5xf32>
  %kt = linalg.transpose ins(%k : tensor<5x4xf32>) outs(%e45 : tensor<4x5xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = arith.constant dense<[[false, false, false, true, true], [false, false, false, false, true], [false, false, false, false, false]]> : tensor<3x5xi1>
  %low = arith.constant dense<0xFF800000> : tensor<3x5xf32>
  %w = arith.select %c, %low, %s : tensor<3x5xi1>, tensor<3x5xf32>
  %p = linalg.softmax dimension(1) ins(%w : tensor<3x5xf32>) outs(%e35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x5xf32>, tensor<5x2xf32>) outs(%zero32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %o : tensor<3x2xf32>
}

// -----

// In this causal order, the first query attends to the first key only, so the order is upper_left.

// CHECK-LABEL: @causal_upper_left
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} causal(upper_left) scale(1.0) empty_row(nan) :
func.func @causal_upper_left(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x2xf32>) -> tensor<3x2xf32> {
  %zero35 = arith.constant dense<0.0> : tensor<3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %e45 = tensor.empty() : tensor<4x5xf32>
  %e35 = tensor.empty() : tensor<3x5xf32>
  %kt = linalg.transpose ins(%k : tensor<5x4xf32>) outs(%e45 : tensor<4x5xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = arith.constant dense<[[true, false, false, false, false], [true, true, false, false, false], [true, true, true, false, false]]> : tensor<3x5xi1>
  %low = arith.constant dense<0xFF800000> : tensor<3x5xf32>
  %w = arith.select %c, %s, %low : tensor<3x5xi1>, tensor<3x5xf32>
  %p = linalg.softmax dimension(1) ins(%w : tensor<3x5xf32>) outs(%e35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x5xf32>, tensor<5x2xf32>) outs(%zero32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %o : tensor<3x2xf32>
}

// -----

// A constant that is a finite number after the diagonal removes no keys, so it is not causal order and remains a bias.

// CHECK-LABEL: @finite_diagonal
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} bias(%{{.*}}) scale(1.0) empty_row(nan) :
func.func @finite_diagonal(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x2xf32>) -> tensor<3x2xf32> {
  %zero35 = arith.constant dense<0.0> : tensor<3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %e45 = tensor.empty() : tensor<4x5xf32>
  %e35 = tensor.empty() : tensor<3x5xf32>
  %kt = linalg.transpose ins(%k : tensor<5x4xf32>) outs(%e45 : tensor<4x5xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = arith.constant dense<[[0.0, -1.0e4, -1.0e4, -1.0e4, -1.0e4], [0.0, 0.0, -1.0e4, -1.0e4, -1.0e4], [0.0, 0.0, 0.0, -1.0e4, -1.0e4]]> : tensor<3x5xf32>
  %w = arith.addf %s, %c : tensor<3x5xf32>
  %p = linalg.softmax dimension(1) ins(%w : tensor<3x5xf32>) outs(%e35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x5xf32>, tensor<5x2xf32>) outs(%zero32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %o : tensor<3x2xf32>
}

// -----

// A constant that is -inf after the diagonal is added, and then a mask replaces scores by a finite number. A masked key
// is not removed, even after the diagonal, so the constant remains a bias.

// CHECK-LABEL: @masked_then_removed
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} bias(%{{.*}}) mask(%{{.*}}) scale(1.0) masked_score(-5.0) empty_row(nan) :
func.func @masked_then_removed(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x2xf32>, %m: tensor<3x5xi1>) -> tensor<3x2xf32> {
  %zero35 = arith.constant dense<0.0> : tensor<3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %e45 = tensor.empty() : tensor<4x5xf32>
  %e35 = tensor.empty() : tensor<3x5xf32>
  %kt = linalg.transpose ins(%k : tensor<5x4xf32>) outs(%e45 : tensor<4x5xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = arith.constant dense<[[0.0, 0.0, 0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<3x5xf32>
  %low = arith.constant dense<-5.0> : tensor<3x5xf32>
  %b = arith.addf %s, %c : tensor<3x5xf32>
  %w = arith.select %m, %b, %low : tensor<3x5xi1>, tensor<3x5xf32>
  %p = linalg.softmax dimension(1) ins(%w : tensor<3x5xf32>) outs(%e35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x5xf32>, tensor<5x2xf32>) outs(%zero32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %o : tensor<3x2xf32>
}

// -----

// Scores are c tanh(x / c), to which a bias is added.

// CHECK-LABEL: @softcap
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} bias(%{{.*}}) scale(1.0) softcap(8.0) empty_row(nan) :
func.func @softcap(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x2xf32>, %b: tensor<3x5xf32>) -> tensor<3x2xf32> {
  %zero35 = arith.constant dense<0.0> : tensor<3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %e45 = tensor.empty() : tensor<4x5xf32>
  %e35 = tensor.empty() : tensor<3x5xf32>
  %kt = linalg.transpose ins(%k : tensor<5x4xf32>) outs(%e45 : tensor<4x5xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = arith.constant dense<8.0> : tensor<3x5xf32>
  %d = arith.divf %s, %c : tensor<3x5xf32>
  %t = math.tanh %d : tensor<3x5xf32>
  %u = arith.mulf %t, %c : tensor<3x5xf32>
  %w = arith.addf %u, %b : tensor<3x5xf32>
  %p = linalg.softmax dimension(1) ins(%w : tensor<3x5xf32>) outs(%e35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x5xf32>, tensor<5x2xf32>) outs(%zero32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %o : tensor<3x2xf32>
}

// -----

// Queries and keys are each multiplied by 0.5, the square root of the scale.

// CHECK-LABEL: @both_scaled
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} scale(0.25) empty_row(nan) :
// CHECK-NOT: arith.mulf
func.func @both_scaled(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x2xf32>) -> tensor<3x2xf32> {
  %zero35 = arith.constant dense<0.0> : tensor<3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %e45 = tensor.empty() : tensor<4x5xf32>
  %e35 = tensor.empty() : tensor<3x5xf32>
  %h34 = arith.constant dense<0.5> : tensor<3x4xf32>
  %h45 = arith.constant dense<0.5> : tensor<4x5xf32>
  %qs = arith.mulf %q, %h34 : tensor<3x4xf32>
  %kt = linalg.transpose ins(%k : tensor<5x4xf32>) outs(%e45 : tensor<4x5xf32>) permutation = [1, 0]
  %ks = arith.mulf %kt, %h45 : tensor<4x5xf32>
  %s = linalg.matmul ins(%qs, %ks : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x5xf32>) outs(%e35 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x5xf32>, tensor<5x2xf32>) outs(%zero32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %o : tensor<3x2xf32>
}
