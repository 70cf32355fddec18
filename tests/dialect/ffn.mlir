// heddle.ffn is printed and parsed again, in its own form and in the generic form.
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s -mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: @plain
func.func @plain(%x: tensor<3x8xf32>, %up: tensor<8x20xf32>, %down: tensor<20x5xf32>) -> tensor<3x5xf32> {
  // CHECK: heddle.ffn %arg0, %arg1, %arg2 : (
  %0 = heddle.ffn %x, %up, %down : (tensor<3x8xf32>, tensor<8x20xf32>, tensor<20x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// CHECK-LABEL: @gated
func.func @gated(%x: tensor<3x8xf32>, %up: tensor<8x20xf32>, %down: tensor<20x5xf32>, %b: tensor<20xf32>,
                 %d: tensor<5xf32>, %gate: tensor<8x20xf32>, %g: tensor<20xf32>, %r: tensor<3x5xf32>) -> tensor<3x5xf32> {
  // CHECK: heddle.ffn %arg0, %arg1, %arg2 up_bias(%arg3) down_bias(%arg4) gate(%arg5) gate_bias(%arg6) residual(%arg7) activation(silu) : (
  %0 = heddle.ffn %x, %up, %down gate(%gate) gate_bias(%g) up_bias(%b) down_bias(%d) residual(%r) activation(silu)
     : (tensor<3x8xf32>, tensor<8x20xf32>, tensor<20x5xf32>, tensor<20xf32>, tensor<5xf32>, tensor<8x20xf32>, tensor<20xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// Both weights are packed into panels of 16 columns, and the last panel of each is partly empty. The numbers of columns
// are known from other shapes: %up has as many columns as %down has rows, and %down has as many columns as the result.
// CHECK-LABEL: @packed
func.func @packed(%x: tensor<3x8xf32>, %up: tensor<2x8x16xf32>, %down: tensor<1x20x16xf32>) -> tensor<3x5xf32> {
  // CHECK: heddle.ffn
  %0 = heddle.ffn %x, %up, %down : (tensor<3x8xf32>, tensor<2x8x16xf32>, tensor<1x20x16xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
