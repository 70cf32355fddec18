// The strategy linear-row-blocks divides at least 256 rows into equal blocks. It is not eligible for the linear layers
// below, and the errors must contain the reasons.
// RUN: split-file %s %t
// RUN: not heddle-opt %t/few.mlir --heddle-tile="%{avx512} strategy=linear=linear-row-blocks" 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not heddle-opt %t/odd.mlir --heddle-tile="%{avx512} strategy=linear=linear-row-blocks" 2>&1 | FileCheck %s --check-prefix=ODD

// FEW: needs at least 256 rows, found 8
// ODD: needs rows that can be divided into equal blocks of 32 to 64 rows, found 257 rows

//--- few.mlir
func.func @k0(%x: tensor<8x4xf32> {bufferization.writable = false}, %w: tensor<4x8xf32> {bufferization.writable = false},
              %out: tensor<8x8xf32> {bufferization.writable = true}) -> tensor<8x8xf32> attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
//--- odd.mlir
func.func @k0(%x: tensor<257x4xf32> {bufferization.writable = false}, %w: tensor<4x8xf32> {bufferization.writable = false},
              %out: tensor<257x8xf32> {bufferization.writable = true}) -> tensor<257x8xf32> attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<257x4xf32>, tensor<4x8xf32>) -> tensor<257x8xf32>
  return %0 : tensor<257x8xf32>
}
