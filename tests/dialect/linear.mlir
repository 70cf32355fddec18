// heddle.linear is printed and parsed again, in its own form and in the generic form.
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s -mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: @plain
func.func @plain(%x: tensor<2x3x8xf64>, %w: tensor<8x5xf64>) -> tensor<2x3x5xf64> {
  // CHECK: heddle.linear %arg0, %arg1 : (
  %0 = heddle.linear %x, %w : (tensor<2x3x8xf64>, tensor<8x5xf64>) -> tensor<2x3x5xf64>
  return %0 : tensor<2x3x5xf64>
}

// CHECK-LABEL: @epilogue
func.func @epilogue(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>, %b: tensor<5xf32>, %r: tensor<3x5xf32>) -> tensor<3x5xf32> {
  // CHECK: heddle.linear %arg0, %arg1 bias(%arg2) residual(%arg3) activation(gelu_tanh) : (
  %0 = heddle.linear %x, %w activation(gelu_tanh) residual(%r) bias(%b)
     : (tensor<3x8xf32>, tensor<8x5xf32>, tensor<5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// The type of a packed weight does not contain its number of columns, which is that of the result. A weight with two
// panels of 32 columns may have 33 to 64 columns.
// CHECK-LABEL: @packed
func.func @packed(%x: tensor<?x8xf32>, %w: tensor<2x8x32xf32>, %b: tensor<40xf32>) -> tensor<?x40xf32> {
  // CHECK: heddle.linear %arg0, %arg1 bias(%arg2) : (
  %0 = heddle.linear %x, %w bias(%b) : (tensor<?x8xf32>, tensor<2x8x32xf32>, tensor<40xf32>) -> tensor<?x40xf32>
  return %0 : tensor<?x40xf32>
}
// With two groups of three interleaved panels of 16 columns, the result may have 49 to 96 columns.
// CHECK-LABEL: @interleaved
func.func @interleaved(%x: tensor<2x8xf32>, %w: tensor<3x2x8x16xf32>) -> tensor<2x49xf32> {
  // CHECK: heddle.linear %arg0, %arg1 : (
  %0 = heddle.linear %x, %w : (tensor<2x8xf32>, tensor<3x2x8x16xf32>) -> tensor<2x49xf32>
  return %0 : tensor<2x49xf32>
}
// The rows of the input are rounded before they are multiplied: to unsigned bytes except for two outlier channels, to
// signed bytes with a scale for each block of 4 elements, or to unsigned bytes with a given scale and zero point.
// CHECK-LABEL: @rounding
func.func @rounding(%x: tensor<2x8xf32>, %w: tensor<8x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
  // CHECK: heddle.linear %arg0, %arg1 rounding(<ui8 outliers[1, 5]>) : (
  %0 = heddle.linear %x, %w rounding(<ui8 outliers [1, 5]>) : (tensor<2x8xf32>, tensor<8x5xf32>) -> tensor<2x5xf32>
  // CHECK: heddle.linear %arg0, %arg1 rounding(<i8 x 4>) : (
  %1 = heddle.linear %x, %w rounding(<i8 x 4>) : (tensor<2x8xf32>, tensor<8x5xf32>) -> tensor<2x5xf32>
  // CHECK: heddle.linear %arg0, %arg1 rounding(<ui8 scale = 5.000000e-01 : f32 zero = 3>) : (
  %2 = heddle.linear %x, %w rounding(<ui8 scale = 0.5 : f32 zero = 3>) : (tensor<2x8xf32>, tensor<8x5xf32>) -> tensor<2x5xf32>
  return %0, %1, %2 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>
}
// The indices of outlier channels may be an operand.
// CHECK-LABEL: @columns
func.func @columns(%x: tensor<2x8xf32>, %w: tensor<8x5xf32>, %c: tensor<2xi32>) -> tensor<2x5xf32> {
  // CHECK: heddle.linear %arg0, %arg1 rounding(<ui8>) outlier_channels(%arg2) : (tensor<2x8xf32>, tensor<8x5xf32>, tensor<2xi32>)
  %0 = heddle.linear %x, %w rounding(<ui8>) outlier_channels(%c)
    : (tensor<2x8xf32>, tensor<8x5xf32>, tensor<2xi32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
