// RUN: heddle-opt %s --heddle-recognise --split-input-file | FileCheck %s

// Two linear layers with an activation between them, and optionally a gate, become one feed-forward layer, heddle.ffn.
// They remain linear layers if the hidden values are used elsewhere, or if the rows of the last layer's input are not
// the rows of the first layers' results.

// CHECK-LABEL: @plain
// CHECK: heddle.ffn %{{.*}}, %{{.*}}, %{{.*}} up_bias(%{{.*}}) down_bias(%{{.*}}) activation(relu)
// CHECK-NEXT: return
func.func @plain(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %w0 = heddle.weight "w0" : tensor<8x9xf32>
  %w1 = heddle.weight "w1" : tensor<9x8xf32>
  %b0 = heddle.weight "b0" : tensor<9xf32>
  %b1 = heddle.weight "b1" : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<2x3x9xf32>
  %y = heddle.linear %x, %w0 bias(%b0) : (tensor<2x3x8xf32>, tensor<8x9xf32>, tensor<9xf32>) -> tensor<2x3x9xf32>
  %0 = arith.maximumf %zero, %y : tensor<2x3x9xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<2x3x9xf32> into tensor<6x9xf32>
  %z = heddle.linear %1, %w1 bias(%b1) : (tensor<6x9xf32>, tensor<9x8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  %2 = tensor.expand_shape %z [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
  return %2 : tensor<2x3x8xf32>
}

// -----

// CHECK-LABEL: @gated
// CHECK: heddle.ffn %{{.*}}, %{{.*}}, %{{.*}} gate(%{{.*}}) activation(silu)
// CHECK-NEXT: return
func.func @gated(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %w0 = heddle.weight "w0" : tensor<8x9xf32>
  %w1 = heddle.weight "w1" : tensor<8x9xf32>
  %w2 = heddle.weight "w2" : tensor<9x8xf32>
  %gate = heddle.linear %x, %w0 activation(silu) : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %up = heddle.linear %x, %w1 : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = arith.mulf %gate, %up : tensor<6x9xf32>
  %down = heddle.linear %0, %w2 : (tensor<6x9xf32>, tensor<9x8xf32>) -> tensor<6x8xf32>
  return %down : tensor<6x8xf32>
}

// -----

// The hidden value is also a result, so two linear layers remain.

// CHECK-LABEL: @hidden_is_used
// CHECK-COUNT-2: heddle.linear
func.func @hidden_is_used(%x: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6x9xf32>) {
  %w0 = heddle.weight "w0" : tensor<8x9xf32>
  %w1 = heddle.weight "w1" : tensor<9x8xf32>
  %y = heddle.linear %x, %w0 activation(gelu) : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %z = heddle.linear %y, %w1 : (tensor<6x9xf32>, tensor<9x8xf32>) -> tensor<6x8xf32>
  return %z, %y : tensor<6x8xf32>, tensor<6x9xf32>
}

// -----

// The product of gate and up is reshaped before the last layer, so a row of the last layer's input is a part of a row
// of the product.

// CHECK-LABEL: @gated_other_rows
// CHECK-COUNT-3: heddle.linear
func.func @gated_other_rows(%x: tensor<2x8xf32>) -> tensor<8x8xf32> {
  %w0 = heddle.weight "w0" : tensor<8x16xf32>
  %w1 = heddle.weight "w1" : tensor<8x16xf32>
  %w2 = heddle.weight "w2" : tensor<4x8xf32>
  %gate = heddle.linear %x, %w0 activation(silu) : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32>
  %up = heddle.linear %x, %w1 : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32>
  %0 = arith.mulf %gate, %up : tensor<2x16xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [2, 4, 4] : tensor<2x16xf32> into tensor<2x4x4xf32>
  %2 = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<2x4x4xf32> into tensor<8x4xf32>
  %down = heddle.linear %2, %w2 : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %down : tensor<8x8xf32>
}

// -----

// All sizes are equal, but the hidden values are transposed before the second layer, so two linear layers remain.

// CHECK-LABEL: @square_transposed
// CHECK-COUNT-2: heddle.linear
func.func @square_transposed(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w0 = heddle.weight "w0" : tensor<4x4xf32>
  %w1 = heddle.weight "w1" : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %y = heddle.linear %x, %w0 activation(relu) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = linalg.transpose ins(%y : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %z = heddle.linear %t, %w1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}
