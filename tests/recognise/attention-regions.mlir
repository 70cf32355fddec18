// RUN: heddle-opt %s --heddle-recognise --split-input-file | FileCheck %s

// heddle.attention has attributes and operands for common operations on scores and probabilities, such as a scale or a
// mask. All other elementwise operations become a region of heddle.attention.

// -----

// The bias is scaled together with the scores, whereas heddle.attention adds its operand `bias` after the scale.
// CHECK-LABEL: @scaled_bias
// CHECK: %[[B:.*]] = tensor.expand_shape %arg3
// CHECK: heddle.attention {{.*}} reads(%[[B]]) scale(1.0) empty_row(nan) score {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, {{.*}}, %[[R:[^:]*]]: f32):
// CHECK-NEXT: %[[H:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[S]], %[[R]] : f32
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[A]], %[[H]] : f32
// CHECK-NEXT: heddle.yield %[[M]] : f32
// CHECK-NOT: linalg.
func.func @scaled_bias(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %half = arith.constant dense<0.5> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %kt = linalg.transpose ins(%k : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = arith.addf %s, %b : tensor<4x4xf32>
  %m = arith.mulf %a, %half : tensor<4x4xf32>
  %p = linalg.softmax dimension(1) ins(%m : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// A bias is added to the scores after the mask, whereas heddle.attention adds its operand `bias` before the mask.
// CHECK-LABEL: @biased_mask
// CHECK: heddle.attention {{.*}} reads(%{{.*}}, %{{.*}}) scale(1.0) empty_row(nan) score {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, {{.*}}, %[[C:[^:]*]]: i1, %[[B:[^:]*]]: f32):
// CHECK: arith.select %[[C]], %[[S]]
// CHECK: arith.addf
// CHECK-NOT: linalg.
func.func @biased_mask(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xi1>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %low = arith.constant dense<-1.0e9> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %kt = linalg.transpose ins(%k : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = arith.select %c, %s, %low : tensor<4x4xi1>, tensor<4x4xf32>
  %a = arith.addf %m, %b : tensor<4x4xf32>
  %p = linalg.softmax dimension(1) ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// NaN is replaced by 1. The attribute empty_row(nan_to_zeros) can replace NaN only by 0.
// CHECK-LABEL: @other_guard
// CHECK: heddle.attention {{.*}} scale(1.0) empty_row(nan) probability {
// CHECK: arith.cmpf uno
// CHECK: arith.select
// CHECK-NOT: linalg.
func.func @other_guard(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %one = arith.constant dense<1.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %kt = linalg.transpose ins(%k : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = arith.cmpf uno, %p, %p : tensor<4x4xf32>
  %g = arith.select %n, %one, %p : tensor<4x4xi1>, tensor<4x4xf32>
  %o = linalg.matmul ins(%g, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// -----

// The scale becomes an attribute and the mask an operand. The square and the subtraction between them become a region.
// The region reads %r itself, which has one number for each batch entry, in place of the broadcast tensor.
// CHECK-LABEL: @between_knobs
// CHECK: %[[R:.*]] = tensor.expand_shape %arg3 {{.*}} : tensor<2xf32> into tensor<2x1x1x1xf32>
// CHECK: heddle.attention {{.*}} mask(%{{.*}}) reads(%[[R]]) scale(0.25) empty_row(nan) score {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, {{.*}}, %[[X:[^:]*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[S]], %[[S]] : f32
// CHECK-NEXT: %[[Y:.*]] = arith.subf %[[P]], %[[X]] : f32
// CHECK-NEXT: heddle.yield %[[Y]] : f32
func.func @between_knobs(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x2xf32>, %r: tensor<2xf32>, %m: tensor<3x5xi1>) -> tensor<2x3x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<2x3x2xf32>
  %e = tensor.empty() : tensor<2x3x5xf32>
  %ek = tensor.empty() : tensor<2x4x5xf32>
  %kt = linalg.transpose ins(%k : tensor<2x5x4xf32>) outs(%ek : tensor<2x4x5xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%zero : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %quarter = arith.constant dense<0.25> : tensor<2x3x5xf32>
  %low = arith.constant dense<0xFF800000> : tensor<2x3x5xf32>
  %em = tensor.empty() : tensor<2x3x5xi1>
  %scaled = arith.mulf %s, %quarter : tensor<2x3x5xf32>
  %square = arith.mulf %scaled, %scaled : tensor<2x3x5xf32>
  %rs = linalg.broadcast ins(%r : tensor<2xf32>) outs(%e : tensor<2x3x5xf32>) dimensions = [1, 2]
  %ms = linalg.broadcast ins(%m : tensor<3x5xi1>) outs(%em : tensor<2x3x5xi1>) dimensions = [0]
  %x = arith.subf %square, %rs : tensor<2x3x5xf32>
  %y = arith.select %ms, %x, %low : tensor<2x3x5xi1>, tensor<2x3x5xf32>
  %p = linalg.softmax dimension(2) ins(%y : tensor<2x3x5xf32>) outs(%e : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x3x5xf32>, tensor<2x5x2xf32>) outs(%zero32 : tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  return %o : tensor<2x3x2xf32>
}

// -----

// The mask depends on the scores, so it is part of the region. It is computed from the unscaled scores, so the scale is
// part of the region, too.
// CHECK-LABEL: @by_scores
// CHECK: heddle.attention %{{[^,]*}}, %{{[^,]*}}, %{{[^ ]*}} scale(1.0) empty_row(nan) score {
// CHECK: arith.cmpf ogt
// CHECK: arith.mulf
// CHECK: arith.select
func.func @by_scores(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x2xf32>) -> tensor<2x3x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<2x3x2xf32>
  %e = tensor.empty() : tensor<2x3x5xf32>
  %ek = tensor.empty() : tensor<2x4x5xf32>
  %kt = linalg.transpose ins(%k : tensor<2x5x4xf32>) outs(%ek : tensor<2x4x5xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%zero : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %quarter = arith.constant dense<0.25> : tensor<2x3x5xf32>
  %low = arith.constant dense<0xFF800000> : tensor<2x3x5xf32>
  %scaled = arith.mulf %s, %quarter : tensor<2x3x5xf32>
  %above = arith.cmpf ogt, %s, %quarter : tensor<2x3x5xf32>
  %y = arith.select %above, %scaled, %low : tensor<2x3x5xi1>, tensor<2x3x5xf32>
  %p = linalg.softmax dimension(2) ins(%y : tensor<2x3x5xf32>) outs(%e : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x3x5xf32>, tensor<2x5x2xf32>) outs(%zero32 : tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  return %o : tensor<2x3x2xf32>
}

// -----

// There is a region for scores and a region for probabilities. An operand that both regions read is passed once.
// CHECK-LABEL: @both
// CHECK: heddle.attention {{.*}} reads(%{{[^,]*}}) scale(1.0) empty_row(nan) score {
// CHECK: math.absf
// CHECK: arith.mulf
// CHECK: } probability {
// CHECK: arith.divf
// CHECK-NOT: linalg.
func.func @both(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x2xf32>, %r: tensor<2x3x5xf32>) -> tensor<2x3x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x3x5xf32>
  %zero32 = arith.constant dense<0.0> : tensor<2x3x2xf32>
  %e = tensor.empty() : tensor<2x3x5xf32>
  %ek = tensor.empty() : tensor<2x4x5xf32>
  %kt = linalg.transpose ins(%k : tensor<2x5x4xf32>) outs(%ek : tensor<2x4x5xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%zero : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %a = math.absf %s : tensor<2x3x5xf32>
  %x = arith.mulf %a, %r : tensor<2x3x5xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<2x3x5xf32>) outs(%e : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %w = arith.divf %p, %r : tensor<2x3x5xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<2x3x5xf32>, tensor<2x5x2xf32>) outs(%zero32 : tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  return %o : tensor<2x3x2xf32>
}
