// Vulkan devices do not support low precision: quantised weights and layers whose rows are rounded are refused.
// RUN: split-file %s %t
// RUN: not heddle compile %t/weights.mlir --device vulkan -o %t.so 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// RUN: not heddle compile %t/rows.mlir --device vulkan -o %t.so 2>&1 | FileCheck %s --check-prefix=ROWS
// WEIGHTS: error: 'heddle.dequantize' op reads elements of 'i8' with scales, which are not supported on this device
// ROWS: error: 'heddle.linear' op rounds its rows to 'ui8', whose products are not supported on this device

//--- weights.mlir
func.func @main(%x: tensor<3x8xf32>, %q: tensor<8x4xi8>, %s: tensor<1x4xf32>) -> tensor<3x4xf32> {
  %w = heddle.dequantize %q scales(%s : tensor<1x4xf32>) block [8, 1] : tensor<8x4xi8> -> tensor<8x4xf32>
  %y = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
//--- rows.mlir
func.func @main(%x: tensor<3x8xf32>, %w: tensor<8x4xf32>) -> tensor<3x4xf32> {
  %y = heddle.linear %x, %w rounding(<ui8>) : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
