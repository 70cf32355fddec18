// RUN: heddle-opt %s --heddle-fold-dequantize | FileCheck %s

// A view of a dequantized tensor becomes a view of the stored tensor. Elements are converted after they are loaded.
// CHECK-LABEL: @read
// CHECK-SAME: %[[X:.*]]: tensor<4x8xbf16>
func.func @read(%x: tensor<4x8xbf16>, %i: index) -> (vector<16xf32>, f32) {
  %0 = arith.constant 0.0 : f32
  %w = heddle.dequantize %x : tensor<4x8xbf16> -> tensor<4x8xf32>
  // CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[X]]{{.*}} : tensor<4x8xbf16> to tensor<2x8xbf16>
  %rows = tensor.extract_slice %w[1, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  // CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[ROWS]] {{.*}} : tensor<2x8xbf16> into tensor<16xbf16>
  %flat = tensor.collapse_shape %rows [[0, 1]] : tensor<2x8xf32> into tensor<16xf32>
  // CHECK: %[[V:.*]] = vector.transfer_read %[[FLAT]]{{.*}} : tensor<16xbf16>, vector<16xbf16>
  // CHECK: arith.extf %[[V]] : vector<16xbf16> to vector<16xf32>
  %v = vector.transfer_read %flat[%i], %0 {in_bounds = [true]} : tensor<16xf32>, vector<16xf32>
  // CHECK: %[[E:.*]] = tensor.extract %[[X]]
  // CHECK: arith.extf %[[E]] : bf16 to f32
  %e = tensor.extract %w[%i, %i] : tensor<4x8xf32>
  return %v, %e : vector<16xf32>, f32
}

// If an operation reads the whole tensor at once (here the return), the dequantized tensor is computed in memory.
// CHECK-LABEL: @whole
// CHECK: linalg.generic
// CHECK: arith.extf
func.func @whole(%x: tensor<4xf16>) -> tensor<4xf32> {
  %w = heddle.dequantize %x : tensor<4xf16> -> tensor<4xf32>
  return %w : tensor<4xf32>
}

// A tile is copied from the stored tensor: the copy converts elements to the type of the tile.
// CHECK-LABEL: @copied
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2x10x40xbf16>
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{.*}} : tensor<2x10x40xbf16> into tensor<20x40xbf16>
// CHECK: heddle.tile_copy %[[ROWS]]{{.*}} : tensor<20x40xbf16>, tensor<16x8xf32> -> tensor<16x8xf32>
func.func @copied(%x: tensor<2x10x40xbf16>, %tile: tensor<16x8xf32>, %i: index) -> tensor<16x8xf32> {
  %0 = heddle.dequantize %x : tensor<2x10x40xbf16> -> tensor<2x10x40xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<2x10x40xf32> into tensor<20x40xf32>
  %2 = heddle.tile_copy %1[%i, %i] into %tile : tensor<20x40xf32>, tensor<16x8xf32> -> tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}
