// heddle.dequantize is parsed and printed, and views of its result are folded into recipes.
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// Narrow floats are extended and have no scales.
// CHECK-LABEL: @widen
// CHECK: heddle.dequantize %{{.*}} : tensor<2x3xbf16> -> tensor<2x3xf32>
func.func @widen(%x: tensor<2x3xbf16>) -> tensor<2x3xf32> {
  %0 = heddle.dequantize %x : tensor<2x3xbf16> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Integers have scales and zero points for each block, and outlier rows are stored as floats.
// CHECK-LABEL: @blocks
func.func @blocks(%q: tensor<5x6xi8>, %s: tensor<2x6xf32>, %z: tensor<2x6xi8>, %e: tensor<1x6xf32>) -> tensor<5x6xf32> {
  // CHECK: heddle.dequantize %{{.*}} scales(%{{.*}} : tensor<2x6xf32>) zero_points(%{{.*}} : tensor<2x6xi8>) outliers(%{{.*}} : tensor<1x6xf32>) block [4, 1] outlier_rows [3] : tensor<5x6xi8> -> tensor<5x6xf32>
  %0 = heddle.dequantize %q scales(%s : tensor<2x6xf32>) zero_points(%z : tensor<2x6xi8>) outliers(%e : tensor<1x6xf32>)
    block [4, 1] outlier_rows [3] : tensor<5x6xi8> -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// A format, such as q4_K of llama.cpp, determines the numbers that an input of bytes represents.
// CHECK-LABEL: @format
func.func @format(%b: tensor<2x288xi8>) -> tensor<512x2xf32> {
  // CHECK: heddle.dequantize %{{.*}} format(#heddle.q4_K) transposed : tensor<2x288xi8> -> tensor<512x2xf32>
  %0 = heddle.dequantize %b format(#heddle.q4_K) transposed : tensor<2x288xi8> -> tensor<512x2xf32>
  return %0 : tensor<512x2xf32>
}

// The indices of outlier rows may be an operand.
// CHECK-LABEL: @numbers
func.func @numbers(%q: tensor<5x6xi8>, %s: tensor<2x6xf32>, %e: tensor<1x6xf32>, %n: tensor<1xi32>) -> tensor<5x6xf32> {
  // CHECK: heddle.dequantize %{{.*}} scales(%{{.*}} : tensor<2x6xf32>) outliers(%{{.*}} : tensor<1x6xf32>) block [4, 1] outlier_indices(%{{.*}} : tensor<1xi32>) : tensor<5x6xi8> -> tensor<5x6xf32>
  %0 = heddle.dequantize %q scales(%s : tensor<2x6xf32>) outliers(%e : tensor<1x6xf32>) outlier_indices(%n : tensor<1xi32>)
    block [4, 1] : tensor<5x6xi8> -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// A transpose, slice or concat of a widened weight becomes a step in the recipe of the stored weight (the list after
// `via`). The stored weight keeps its narrow type.
// FOLD-LABEL: @weights
func.func @weights() -> (tensor<3x2xf32>, tensor<3xf32>, tensor<4x3xf32>) {
  %w = heddle.weight "w" : tensor<2x3xf16>
  %v = heddle.weight "v" : tensor<2x3xf16>
  %ww = heddle.dequantize %w : tensor<2x3xf16> -> tensor<2x3xf32>
  %vw = heddle.dequantize %v : tensor<2x3xf16> -> tensor<2x3xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  // FOLD-DAG: %[[T:.*]] = heddle.weight "w" via [#heddle.transpose<[1, 0]>] : tensor<3x2xf16>
  // FOLD-DAG: %[[TW:.*]] = heddle.dequantize %[[T]] : tensor<3x2xf16> -> tensor<3x2xf32>
  %0 = linalg.transpose ins(%ww : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  // FOLD-DAG: %[[S:.*]] = heddle.weight "w" via [#heddle.slice<[1, 0], [1, 3]>, #heddle.reshape<[3]>] : tensor<3xf16>
  // FOLD-DAG: %[[SW:.*]] = heddle.dequantize %[[S]] : tensor<3xf16> -> tensor<3xf32>
  %1 = tensor.extract_slice %ww[1, 0] [1, 3] [1, 1] : tensor<2x3xf32> to tensor<3xf32>
  // FOLD-DAG: %[[C:.*]] = heddle.weight "w" via [#heddle.concat<0, {{\[\[}}"v", []]]>] : tensor<4x3xf16>
  // FOLD-DAG: %[[CW:.*]] = heddle.dequantize %[[C]] : tensor<4x3xf16> -> tensor<4x3xf32>
  %2 = tensor.concat dim(0) %ww, %vw : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  // FOLD: return %[[TW]], %[[SW]], %[[CW]]
  return %0, %1, %2 : tensor<3x2xf32>, tensor<3xf32>, tensor<4x3xf32>
}

// Weights that are stored in different types are not concatenated to one stored weight.
// FOLD-LABEL: @mixed
// FOLD: tensor.concat
func.func @mixed() -> tensor<4x3xf32> {
  %w = heddle.weight "w" : tensor<2x3xf16>
  %v = heddle.weight "v" : tensor<2x3xf32>
  %ww = heddle.dequantize %w : tensor<2x3xf16> -> tensor<2x3xf32>
  %0 = tensor.concat dim(0) %ww, %v : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
