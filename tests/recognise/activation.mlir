// RUN: heddle-opt %s --heddle-recognise --split-input-file | FileCheck %s

// An exporter writes the activation after a linear layer as several operations. The pass replaces these operations by
// an attribute of the layer. It must not do so if the operations compute a slightly different function, or if one of
// their intermediate values is used elsewhere.

// GELU, written as x times (1 + erf(x / sqrt(2))) times one half.

// CHECK-LABEL: @gelu
// CHECK: heddle.linear %{{.*}}, %{{.*}} activation(gelu)
// CHECK-NEXT: return
func.func @gelu(%x: tensor<6x8xf32>) -> tensor<6x9xf32> {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %c = arith.constant dense<1.41421354> : tensor<6x9xf32>
  %one = arith.constant dense<1.0> : tensor<6x9xf32>
  %half = arith.constant dense<0.5> : tensor<6x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = arith.divf %y, %c : tensor<6x9xf32>
  %1 = math.erf %0 : tensor<6x9xf32>
  %2 = arith.addf %1, %one : tensor<6x9xf32>
  %3 = arith.mulf %y, %2 : tensor<6x9xf32>
  %4 = arith.mulf %3, %half : tensor<6x9xf32>
  return %4 : tensor<6x9xf32>
}

// -----

// CHECK-LABEL: @gelu_tanh
// CHECK: heddle.linear %{{.*}}, %{{.*}} activation(gelu_tanh)
// CHECK-NEXT: return
func.func @gelu_tanh(%x: tensor<6x8xf32>) -> tensor<6x9xf32> {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %root = arith.constant dense<0.797884583> : tensor<6x9xf32>
  %cubic = arith.constant dense<4.471500e-02> : tensor<6x9xf32>
  %three = arith.constant dense<3.0> : tensor<6x9xf32>
  %one = arith.constant dense<1.0> : tensor<6x9xf32>
  %half = arith.constant dense<0.5> : tensor<6x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = math.powf %y, %three : tensor<6x9xf32>
  %1 = arith.mulf %0, %cubic : tensor<6x9xf32>
  %2 = arith.addf %y, %1 : tensor<6x9xf32>
  %3 = arith.mulf %2, %root : tensor<6x9xf32>
  %4 = math.tanh %3 : tensor<6x9xf32>
  %5 = arith.addf %4, %one : tensor<6x9xf32>
  %6 = arith.mulf %y, %half : tensor<6x9xf32>
  %7 = arith.mulf %6, %5 : tensor<6x9xf32>
  return %7 : tensor<6x9xf32>
}

// -----

// CHECK-LABEL: @silu
// CHECK: heddle.linear %{{.*}}, %{{.*}} activation(silu)
// CHECK-NEXT: return
func.func @silu(%x: tensor<6x8xf32>) -> tensor<6x9xf32> {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %one = arith.constant dense<1.0> : tensor<6x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = arith.negf %y : tensor<6x9xf32>
  %1 = math.exp %0 : tensor<6x9xf32>
  %2 = arith.addf %1, %one : tensor<6x9xf32>
  %3 = arith.divf %one, %2 : tensor<6x9xf32>
  %4 = arith.mulf %y, %3 : tensor<6x9xf32>
  return %4 : tensor<6x9xf32>
}

// -----

// CHECK-LABEL: @relu
// CHECK: heddle.linear %{{.*}}, %{{.*}} activation(relu)
// CHECK-NEXT: return
func.func @relu(%x: tensor<6x8xf32>) -> tensor<6x9xf32> {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = arith.maximumf %y, %zero : tensor<6x9xf32>
  return %0 : tensor<6x9xf32>
}

// -----

// The comparison is false for NaN, so the result for NaN is 0. ReLU returns NaN for NaN, so this function is not ReLU.

// CHECK-LABEL: @drops_nan
// CHECK: arith.select
func.func @drops_nan(%x: tensor<6x8xf32>) -> tensor<6x9xf32> {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = arith.cmpf ogt, %y, %zero : tensor<6x9xf32>
  %1 = arith.select %0, %y, %zero : tensor<6x9xi1>, tensor<6x9xf32>
  return %1 : tensor<6x9xf32>
}

// -----

// The operand of erf is divided by 1.5 instead of sqrt(2), so the function is not GELU.

// CHECK-LABEL: @other_constant
// CHECK: math.erf
func.func @other_constant(%x: tensor<6x8xf32>) -> tensor<6x9xf32> {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %c = arith.constant dense<1.5> : tensor<6x9xf32>
  %one = arith.constant dense<1.0> : tensor<6x9xf32>
  %half = arith.constant dense<0.5> : tensor<6x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = arith.divf %y, %c : tensor<6x9xf32>
  %1 = math.erf %0 : tensor<6x9xf32>
  %2 = arith.addf %1, %one : tensor<6x9xf32>
  %3 = arith.mulf %y, %2 : tensor<6x9xf32>
  %4 = arith.mulf %3, %half : tensor<6x9xf32>
  return %4 : tensor<6x9xf32>
}

// -----

// The result of the layer before the activation is also a result of the function. If the activation were fused, the
// layer would be computed twice.

// CHECK-LABEL: @used_twice
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
// CHECK: arith.maximumf
func.func @used_twice(%x: tensor<6x8xf32>) -> (tensor<6x9xf32>, tensor<6x9xf32>) {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = arith.maximumf %y, %zero : tensor<6x9xf32>
  return %0, %y : tensor<6x9xf32>, tensor<6x9xf32>
}

// -----

// An intermediate value of the activation function is also a result. It is computed from the result of the layer
// without the activation, so this result is still needed and the activation is not fused. The next functions test the
// same for other activation functions.

// CHECK-LABEL: @gelu_gate_is_used
// CHECK: %[[Y:.*]] = heddle.linear %{{.*}}, %{{.*}} :
// CHECK: arith.mulf %[[Y]]
// CHECK: math.erf
func.func @gelu_gate_is_used(%x: tensor<6x8xf32>) -> (tensor<6x9xf32>, tensor<6x9xf32>) {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %c = arith.constant dense<0.707106769> : tensor<6x9xf32>
  %one = arith.constant dense<1.0> : tensor<6x9xf32>
  %half = arith.constant dense<0.5> : tensor<6x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = arith.mulf %y, %c : tensor<6x9xf32>
  %1 = math.erf %0 : tensor<6x9xf32>
  %2 = arith.addf %1, %one : tensor<6x9xf32>
  %3 = arith.mulf %y, %half : tensor<6x9xf32>
  %4 = arith.mulf %3, %2 : tensor<6x9xf32>
  return %4, %2 : tensor<6x9xf32>, tensor<6x9xf32>
}

// -----

// CHECK-LABEL: @gelu_tanh_is_used
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
// CHECK: math.tanh
func.func @gelu_tanh_is_used(%x: tensor<6x8xf32>) -> (tensor<6x9xf32>, tensor<6x9xf32>) {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %root = arith.constant dense<0.797884583> : tensor<6x9xf32>
  %cubic = arith.constant dense<4.471500e-02> : tensor<6x9xf32>
  %three = arith.constant dense<3.0> : tensor<6x9xf32>
  %one = arith.constant dense<1.0> : tensor<6x9xf32>
  %half = arith.constant dense<0.5> : tensor<6x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = math.powf %y, %three : tensor<6x9xf32>
  %1 = arith.mulf %0, %cubic : tensor<6x9xf32>
  %2 = arith.addf %y, %1 : tensor<6x9xf32>
  %3 = arith.mulf %2, %root : tensor<6x9xf32>
  %4 = math.tanh %3 : tensor<6x9xf32>
  %5 = arith.addf %4, %one : tensor<6x9xf32>
  %6 = arith.mulf %y, %half : tensor<6x9xf32>
  %7 = arith.mulf %6, %5 : tensor<6x9xf32>
  return %7, %4 : tensor<6x9xf32>, tensor<6x9xf32>
}

// -----

// CHECK-LABEL: @silu_gate_is_used
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
// CHECK: math.exp
func.func @silu_gate_is_used(%x: tensor<6x8xf32>) -> (tensor<6x9xf32>, tensor<6x9xf32>) {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %one = arith.constant dense<1.0> : tensor<6x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = arith.negf %y : tensor<6x9xf32>
  %1 = math.exp %0 : tensor<6x9xf32>
  %2 = arith.addf %1, %one : tensor<6x9xf32>
  %3 = arith.divf %one, %2 : tensor<6x9xf32>
  %4 = arith.mulf %y, %3 : tensor<6x9xf32>
  return %4, %3 : tensor<6x9xf32>, tensor<6x9xf32>
}

// -----

// CHECK-LABEL: @silu_divisor_is_used
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
// CHECK: math.exp
func.func @silu_divisor_is_used(%x: tensor<6x8xf32>) -> (tensor<6x9xf32>, tensor<6x9xf32>) {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %one = arith.constant dense<1.0> : tensor<6x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = arith.negf %y : tensor<6x9xf32>
  %1 = math.exp %0 : tensor<6x9xf32>
  %2 = arith.addf %1, %one : tensor<6x9xf32>
  %3 = arith.divf %y, %2 : tensor<6x9xf32>
  return %3, %1 : tensor<6x9xf32>, tensor<6x9xf32>
}

// -----

// CHECK-LABEL: @relu_sign_is_used
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
// CHECK: arith.select
func.func @relu_sign_is_used(%x: tensor<6x8xf32>) -> (tensor<6x9xf32>, tensor<6x9xi1>) {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %0 = arith.cmpf ugt, %y, %zero : tensor<6x9xf32>
  %1 = arith.select %0, %y, %zero : tensor<6x9xi1>, tensor<6x9xf32>
  return %1, %0 : tensor<6x9xf32>, tensor<6x9xi1>
}

// -----

// A reshape may lie between the layer and its activation. Here the reshaped value is also a result, so the activation
// is not fused.

// CHECK-LABEL: @reshape_is_used
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
// CHECK: math.tanh
func.func @reshape_is_used(%x: tensor<6x8xf32>) -> (tensor<2x3x9xf32>, tensor<2x3x9xf32>) {
  %w = heddle.weight "w" : tensor<8x9xf32>
  %y = heddle.linear %x, %w : (tensor<6x8xf32>, tensor<8x9xf32>) -> tensor<6x9xf32>
  %r = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 3, 9] : tensor<6x9xf32> into tensor<2x3x9xf32>
  %0 = math.tanh %r : tensor<2x3x9xf32>
  return %0, %r : tensor<2x3x9xf32>, tensor<2x3x9xf32>
}

// -----

// In f64, 0.70710678 differs so much from sqrt(1/2) that the function is not GELU.
// CHECK-LABEL: @fewer_digits
// CHECK-NOT: activation(gelu)
// CHECK: math.erf
func.func @fewer_digits(%x: tensor<6x8xf64>) -> tensor<6x9xf64> {
  %w = heddle.weight "w" : tensor<8x9xf64>
  %root = arith.constant dense<0.70710678> : tensor<6x9xf64>
  %one = arith.constant dense<1.0> : tensor<6x9xf64>
  %half = arith.constant dense<0.5> : tensor<6x9xf64>
  %h = heddle.linear %x, %w : (tensor<6x8xf64>, tensor<8x9xf64>) -> tensor<6x9xf64>
  %0 = arith.mulf %h, %root : tensor<6x9xf64>
  %1 = math.erf %0 : tensor<6x9xf64>
  %2 = arith.addf %1, %one : tensor<6x9xf64>
  %3 = arith.mulf %h, %2 : tensor<6x9xf64>
  %4 = arith.mulf %3, %half : tensor<6x9xf64>
  return %4 : tensor<6x9xf64>
}
