// A weight in a block format, such as q4_K, becomes codes (integers) with scales, and with minima if the format has
// offsets.
// RUN: heddle-opt %s -split-input-file -heddle-unpack-formats -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @linear
// CHECK-DAG: %[[CODES:.*]] = heddle.weight "w" via [#heddle.unpack<#heddle.q4_K, codes>, #heddle.transpose<[1, 0]>] : tensor<256x8xi8>
// CHECK-DAG: %[[SCALES:.*]] = heddle.weight "w" via [#heddle.unpack<#heddle.q4_K, scales>, #heddle.transpose<[1, 0]>] : tensor<8x8xf32>
// CHECK-DAG: %[[MINIMA:.*]] = heddle.weight "w" via [#heddle.unpack<#heddle.q4_K, offsets>, #heddle.transpose<[1, 0]>] : tensor<8x8xf32>
// CHECK: heddle.dequantize %[[CODES]] scales(%[[SCALES]] : tensor<8x8xf32>) minima(%[[MINIMA]] : tensor<8x8xf32>) block [32, 1]
func.func @linear() -> tensor<256x8xf32> {
  %w = heddle.weight "w" : tensor<8x144xi8>
  %0 = heddle.dequantize %w format(#heddle.q4_K) transposed : tensor<8x144xi8> -> tensor<256x8xf32>
  return %0 : tensor<256x8xf32>
}

// -----
// The recipe of the bytes precedes the step that unpacks them.
// CHECK-LABEL: @rows
// CHECK-DAG: %[[CODES:.*]] = heddle.weight "w" via [#heddle.slice<[4, 0], [2, 210]>, #heddle.unpack<#heddle.q6_K, codes>] : tensor<2x256xi8>
// CHECK-DAG: %[[SCALES:.*]] = heddle.weight "w" via [#heddle.slice<[4, 0], [2, 210]>, #heddle.unpack<#heddle.q6_K, scales>] : tensor<2x16xf32>
// CHECK: heddle.dequantize %[[CODES]] scales(%[[SCALES]] : tensor<2x16xf32>) block [1, 16]
func.func @rows() -> tensor<2x256xf32> {
  %w = heddle.weight "w" via [#heddle.slice<[4, 0], [2, 210]>] : tensor<2x210xi8>
  %0 = heddle.dequantize %w format(#heddle.q6_K) : tensor<2x210xi8> -> tensor<2x256xf32>
  return %0 : tensor<2x256xf32>
}

// -----
func.func @argument(%w: tensor<2x34xi8>) -> tensor<2x32xf32> {
  // expected-error@+1 {{'heddle.dequantize' op has a format, which is supported only for weights}}
  %0 = heddle.dequantize %w format(#heddle.q8_0) : tensor<2x34xi8> -> tensor<2x32xf32>
  return %0 : tensor<2x32xf32>
}
