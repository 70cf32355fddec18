// RUN: heddle-opt %s --heddle-tile="target=cuda" --heddle-vectorize --heddle-fold-dequantize --split-input-file | FileCheck %s

// If both factors are stored as bf16, they are multiplied by matrix instructions. The epilogue widens the residual.
// CHECK-LABEL: func.func private @stored
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<64x64xbf16>, %[[W:[a-z0-9]*]]: tensor<64x64xbf16>
// CHECK: tensor<64x64xf32>
// CHECK: bufferization.alloc_tensor() {memory_space = #heddle.fragments<#heddle.mma<bf16>, 1 x 2>} : tensor<64x64xf32>
// CHECK: heddle.tile_copy %[[X]]{{.*}} : tensor<64x64xbf16>, tensor<64x32xbf16>
// CHECK: heddle.tile_copy %[[W]]{{.*}} : tensor<64x64xbf16>, tensor<32x64xbf16>
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%{{.*}} : tensor<64x64xf32>)
// CHECK: arith.extf {{.*}} : bf16 to f32
func.func private @stored(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>, %r: tensor<64x64xbf16>,
                          %out: tensor<64x64xf32> {bufferization.writable = true}) -> tensor<64x64xf32>
    attributes {heddle.kernel} {
  %0 = heddle.dequantize %x : tensor<64x64xbf16> -> tensor<64x64xf32>
  %1 = heddle.dequantize %w : tensor<64x64xbf16> -> tensor<64x64xf32>
  %2 = heddle.dequantize %r : tensor<64x64xbf16> -> tensor<64x64xf32>
  %3 = heddle.linear %0, %1 residual(%2) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// -----
// A layer that rounds its rows multiplies them in the type to which it rounds; heddle.tile_copy rounds them.
// CHECK-LABEL: func.func private @rounded
// CHECK: #heddle.fragments<#heddle.mma<f16>, 1 x 2>
// CHECK: heddle.tile_copy {{.*}} : tensor<64x64xf32>, tensor<64x32xf16>
// CHECK: heddle.tile_copy {{.*}} : tensor<64x64xf16>, tensor<32x64xf16>
func.func private @rounded(%x: tensor<64x64xf32>, %w: tensor<64x64xf16>,
                           %out: tensor<64x64xf32> {bufferization.writable = true}) -> tensor<64x64xf32>
    attributes {heddle.kernel} {
  %0 = heddle.dequantize %w : tensor<64x64xf16> -> tensor<64x64xf32>
  %1 = heddle.linear %x, %0 rounding(<f16>) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----
// Rows of f32 that are not rounded are multiplied in f32; heddle.tile_copy widens the weight.
// CHECK-LABEL: func.func private @weight
// CHECK: #heddle.fragments<#heddle.fma<f32>, 2 x 1>
// CHECK: heddle.tile_copy {{.*}} : tensor<64x64xf32>, tensor<64x16xf32>
// CHECK: heddle.tile_copy {{.*}} : tensor<64x64xbf16>, tensor<16x64xf32>
func.func private @weight(%x: tensor<64x64xf32>, %w: tensor<64x64xbf16>,
                          %out: tensor<64x64xf32> {bufferization.writable = true}) -> tensor<64x64xf32>
    attributes {heddle.kernel} {
  %0 = heddle.dequantize %w : tensor<64x64xbf16> -> tensor<64x64xf32>
  %1 = heddle.linear %x, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----
// A bias that is stored as bf16 with another shape is reshaped, and widened by the epilogue.
// CHECK-LABEL: func.func private @bias
// CHECK-SAME: %[[BIAS:[a-z0-9]*]]: tensor<4x16xbf16>
// CHECK: tensor.collapse_shape %[[BIAS]] {{.*}} : tensor<4x16xbf16> into tensor<64xbf16>
// CHECK: arith.extf {{.*}} : bf16 to f32
func.func private @bias(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>, %b: tensor<4x16xbf16>,
                        %out: tensor<64x64xf32> {bufferization.writable = true}) -> tensor<64x64xf32>
    attributes {heddle.kernel} {
  %0 = heddle.dequantize %x : tensor<64x64xbf16> -> tensor<64x64xf32>
  %1 = heddle.dequantize %w : tensor<64x64xbf16> -> tensor<64x64xf32>
  %2 = heddle.dequantize %b : tensor<4x16xbf16> -> tensor<4x16xf32>
  %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<4x16xf32> into tensor<64xf32>
  %4 = heddle.linear %0, %1 bias(%3) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

// -----
// Slices, reshapes and transpositions of stored tensors have the same elements, so products can be in the stored type.
// A slice or a reshape is read as it is stored; a transposition is computed in f32 first.
// CHECK-LABEL: func.func private @views
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<80x64xbf16>, %[[W:[a-z0-9]*]]: tensor<2x64x64xbf16>, %[[B:[a-z0-9]*]]: tensor<80xbf16>, %[[R:[a-z0-9]*]]: tensor<80x64xbf16>
// CHECK-DAG: %[[ROWS:.*]] = tensor.extract_slice %[[X]][16, 0] [64, 64] [1, 1] : tensor<80x64xbf16> to tensor<64x64xbf16>
// CHECK-DAG: %[[WEIGHT:.*]] = tensor.extract_slice %[[W]][1, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<2x64x64xbf16> to tensor<64x64xbf16>
// CHECK-DAG: tensor.extract_slice %[[B]][16] [64] [1] : tensor<80xbf16> to tensor<64xbf16>
// CHECK-DAG: tensor.extract_slice %[[R]][8, 0] [64, 64] [1, 1] : tensor<80x64xbf16> to tensor<64x64xbf16>
// CHECK: #heddle.fragments<#heddle.mma<bf16>, 1 x 2>
// CHECK: heddle.tile_copy %[[ROWS]]{{.*}} : tensor<64x64xbf16>, tensor<64x32xbf16>
// CHECK: heddle.tile_copy %[[WEIGHT]]{{.*}} : tensor<64x64xbf16>, tensor<32x64xbf16>
// CHECK-COUNT-2: arith.extf {{.*}} : bf16 to f32
func.func private @views(%x: tensor<80x64xbf16>, %w: tensor<2x64x64xbf16>, %b: tensor<80xbf16>, %r: tensor<80x64xbf16>,
                         %out: tensor<64x64xf32> {bufferization.writable = true}) -> tensor<64x64xf32>
    attributes {heddle.kernel} {
  %0 = heddle.dequantize %x : tensor<80x64xbf16> -> tensor<80x64xf32>
  %1 = heddle.dequantize %w : tensor<2x64x64xbf16> -> tensor<2x64x64xf32>
  %2 = heddle.dequantize %b : tensor<80xbf16> -> tensor<80xf32>
  %3 = heddle.dequantize %r : tensor<80x64xbf16> -> tensor<80x64xf32>
  %rows = tensor.extract_slice %0[16, 0] [64, 64] [1, 1] : tensor<80x64xf32> to tensor<64x64xf32>
  %weight = tensor.extract_slice %1[1, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<2x64x64xf32> to tensor<64x64xf32>
  %bias = tensor.extract_slice %2[16] [64] [1] : tensor<80xf32> to tensor<64xf32>
  %residual = tensor.extract_slice %3[8, 0] [64, 64] [1, 1] : tensor<80x64xf32> to tensor<64x64xf32>
  %4 = heddle.linear %rows, %weight bias(%bias) residual(%residual)
    : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

// -----
// CHECK-LABEL: func.func private @transposed
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<64x64xf32>, %[[W:[a-z0-9]*]]: tensor<4096xf16>
// CHECK: #heddle.fragments<#heddle.mma<f16>, 1 x 2>
// CHECK: heddle.tile_copy %[[X]]{{.*}} : tensor<64x64xf32>, tensor<64x32xf16>
// CHECK: heddle.tile_copy {{.*}} : tensor<64x64xf32>, tensor<32x64xf16>
func.func private @transposed(%x: tensor<64x64xf32>, %w: tensor<4096xf16>,
                              %out: tensor<64x64xf32> {bufferization.writable = true}) -> tensor<64x64xf32>
    attributes {heddle.kernel} {
  %0 = heddle.dequantize %w : tensor<4096xf16> -> tensor<4096xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [64, 64] : tensor<4096xf32> into tensor<64x64xf32>
  %2 = tensor.empty() : tensor<64x64xf32>
  %3 = linalg.transpose ins(%1 : tensor<64x64xf32>) outs(%2 : tensor<64x64xf32>) permutation = [1, 0]
  %4 = heddle.linear %x, %3 rounding(<f16>) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

// -----
// The hidden tensor of a feed-forward layer is not rounded, so products with it are computed in f32.
// CHECK-LABEL: func.func private @hidden
// CHECK: #heddle.fragments<#heddle.mma<bf16>, 1 x 2>
// CHECK: #heddle.fragments<#heddle.fma<f32>, 2 x 1>
// CHECK: heddle.tile_copy {{.*}} : tensor<64x64xf32>, tensor<64x16xf32>
// CHECK: heddle.tile_copy {{.*}} : tensor<64x64xbf16>, tensor<16x64xf32>
func.func private @hidden(%x: tensor<64x64xbf16>, %up: tensor<64x64xbf16>, %down: tensor<64x64xbf16>,
                          %out: tensor<64x64xf32> {bufferization.writable = true}) -> tensor<64x64xf32>
    attributes {heddle.kernel} {
  %0 = heddle.dequantize %x : tensor<64x64xbf16> -> tensor<64x64xf32>
  %1 = heddle.dequantize %up : tensor<64x64xbf16> -> tensor<64x64xf32>
  %2 = heddle.dequantize %down : tensor<64x64xbf16> -> tensor<64x64xf32>
  %3 = heddle.ffn %0, %1, %2 : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// -----
// In f64, tiles have half the depth of tiles of f32. heddle.tile_copy widens a weight that is stored as f32.
// CHECK-LABEL: func.func private @double
// CHECK: #heddle.fragments<#heddle.fma<f64>, 2 x 1>} : tensor<64x64xf64>
// CHECK: heddle.tile_copy {{.*}} : tensor<64x64xf64>, tensor<64x8xf64>
// CHECK: heddle.tile_copy {{.*}} : tensor<64x64xf32>, tensor<8x64xf64>
func.func private @double(%x: tensor<64x64xf64>, %w: tensor<64x64xf32>,
                          %out: tensor<64x64xf64> {bufferization.writable = true}) -> tensor<64x64xf64>
    attributes {heddle.kernel} {
  %0 = heddle.dequantize %w : tensor<64x64xf32> -> tensor<64x64xf64>
  %1 = heddle.linear %x, %0 : (tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
  return %1 : tensor<64x64xf64>
}
