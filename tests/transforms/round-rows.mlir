// RUN: heddle-opt %s --heddle-round-rows="products=bf16" --canonicalize | FileCheck %s

// A layer rounds its rows itself if its input was rounded to a type that the target multiplies and in which the weight
// is stored. Views of the input remain.
// CHECK-LABEL: func.func @widened
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<32xf32>
// CHECK: %[[ROWS:.*]] = tensor.expand_shape %[[X]]
// CHECK: heddle.linear %[[ROWS]], %{{.*}} rounding(<bf16>)
// CHECK-NOT: truncf
func.func @widened(%x: tensor<32xf32>, %narrow: tensor<8x4xbf16>) -> tensor<4x4xf32> {
  %w = heddle.dequantize %narrow : tensor<8x4xbf16> -> tensor<8x4xf32>
  %0 = arith.truncf %x : tensor<32xf32> to tensor<32xbf16>
  %1 = heddle.dequantize %0 : tensor<32xbf16> -> tensor<32xf32>
  %rows = tensor.expand_shape %1 [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  %2 = heddle.linear %rows, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// A conversion that the model itself contains is such a rounding, too.
// CHECK-LABEL: func.func @converted
// CHECK: heddle.linear %arg0, %{{.*}} rounding(<bf16>)
func.func @converted(%x: tensor<4x8xf32>, %narrow: tensor<8x4xbf16>) -> tensor<4x4xf32> {
  %w = heddle.dequantize %narrow : tensor<8x4xbf16> -> tensor<8x4xf32>
  %0 = arith.truncf %x : tensor<4x8xf32> to tensor<4x8xbf16>
  %1 = arith.extf %0 : tensor<4x8xbf16> to tensor<4x8xf32>
  %2 = heddle.linear %1, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// The rounding stays an operation of its own if the target does not multiply the type, if the weight is stored in
// another type, if the conversion rounds towards zero, or if the layer rounds its rows already.
// CHECK-LABEL: func.func @others
// CHECK: %[[HALF:.*]] = arith.truncf %arg0 : tensor<4x8xf32> to tensor<4x8xf16>
// CHECK: %[[A:.*]] = heddle.dequantize %[[HALF]]
// CHECK: %[[NARROW:.*]] = arith.truncf %arg0 : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK: %[[B:.*]] = heddle.dequantize %[[NARROW]]
// CHECK: %[[ZERO:.*]] = arith.truncf %arg0 toward_zero
// CHECK: %[[C:.*]] = heddle.dequantize %[[ZERO]]
// CHECK: heddle.linear %[[A]], %{{[^ ]*}} : (
// CHECK: heddle.linear %[[B]], %arg2 : (
// CHECK: heddle.linear %[[C]], %{{[^ ]*}} : (
// CHECK: heddle.linear %[[B]], %{{[^ ]*}} rounding(<i8>) : (
func.func @others(%x: tensor<4x8xf32>, %narrow: tensor<8x4xf16>, %w: tensor<8x4xf32>, %stored: tensor<8x4xbf16>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %half = heddle.dequantize %narrow : tensor<8x4xf16> -> tensor<8x4xf32>
  %wide = heddle.dequantize %stored : tensor<8x4xbf16> -> tensor<8x4xf32>
  %0 = arith.truncf %x : tensor<4x8xf32> to tensor<4x8xf16>
  %1 = heddle.dequantize %0 : tensor<4x8xf16> -> tensor<4x8xf32>
  %2 = arith.truncf %x : tensor<4x8xf32> to tensor<4x8xbf16>
  %3 = heddle.dequantize %2 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %4 = arith.truncf %x toward_zero : tensor<4x8xf32> to tensor<4x8xbf16>
  %5 = heddle.dequantize %4 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %6 = heddle.linear %1, %half : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %7 = heddle.linear %3, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %8 = heddle.linear %5, %wide : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %9 = heddle.linear %3, %wide rounding(<i8>) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %6, %7, %8, %9 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
