// An operation on a weight becomes a step of the weight's recipe: it is applied when the library is written, not in
// each call.
// RUN: heddle-opt %s -canonicalize | FileCheck %s

// Two transposes cancel. A slice that drops a dimension becomes two steps, a slice and a reshape.
// CHECK-LABEL: @steps
func.func @steps() -> (tensor<3x2xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<3xf32>, tensor<2x3xf16>) {
  %w = heddle.weight "w" : tensor<2x3xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %f = tensor.empty() : tensor<2x3xf32>
  // CHECK-DAG: %[[T:.*]] = heddle.weight "w" via [#heddle.transpose<[1, 0]>] : tensor<3x2xf32>
  %t = linalg.transpose ins(%w : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  // CHECK-DAG: %[[W:.*]] = heddle.weight "w" : tensor<2x3xf32>
  %tt = linalg.transpose ins(%t : tensor<3x2xf32>) outs(%f : tensor<2x3xf32>) permutation = [1, 0]
  // CHECK-DAG: %[[R:.*]] = heddle.weight "w" via [#heddle.reshape<[6]>] : tensor<6xf32>
  %r = tensor.collapse_shape %w [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  // CHECK-DAG: %[[S:.*]] = heddle.weight "w" via [#heddle.slice<[1, 0], [1, 3]>, #heddle.reshape<[3]>] : tensor<3xf32>
  %s = tensor.extract_slice %w[1, 0] [1, 3] [1, 1] : tensor<2x3xf32> to tensor<3xf32>
  // CHECK-DAG: %[[C:.*]] = heddle.weight "w" via [#heddle.cast<f16>] : tensor<2x3xf16>
  %c = arith.truncf %w : tensor<2x3xf32> to tensor<2x3xf16>
  // CHECK: return %[[T]], %[[W]], %[[R]], %[[S]], %[[C]]
  return %t, %tt, %r, %s, %c : tensor<3x2xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<3xf32>, tensor<2x3xf16>
}

// CHECK-LABEL: @concat
func.func @concat() -> tensor<4x3xf32> {
  %w = heddle.weight "w" : tensor<2x3xf32>
  %v = heddle.weight "v" via [#heddle.transpose<[1, 0]>] : tensor<2x3xf32>
  // CHECK: heddle.weight "w" via [#heddle.concat<0, {{\[\[}}"v", [#heddle.transpose<[1, 0]>]]]>] : tensor<4x3xf32>
  %0 = tensor.concat dim(0) %w, %v : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// A slice with a stride other than 1 is not folded into the recipe.
// CHECK-LABEL: @strided
func.func @strided() -> tensor<2x2xf32> {
  %w = heddle.weight "w" : tensor<2x3xf32>
  // CHECK: tensor.extract_slice
  %0 = tensor.extract_slice %w[0, 0] [2, 2] [1, 2] : tensor<2x3xf32> to tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// The number of rows in the slice is a size in a range (placeholder 5), so the slice is not folded, and all rows are
// stored.
module attributes {heddle.sizes = [{name = "length", low = 1, high = 7, placeholder = 5}]} {
  // CHECK-LABEL: @length
  func.func @length() -> tensor<5x3xf32> {
    // CHECK: %[[W:.*]] = heddle.weight "w" : tensor<7x3xf32>
    %w = heddle.weight "w" : tensor<7x3xf32>
    // CHECK: tensor.extract_slice %[[W]][0, 0] [5, 3] [1, 1]
    %0 = tensor.extract_slice %w[0, 0] [5, 3] [1, 1] : tensor<7x3xf32> to tensor<5x3xf32>
    return %0 : tensor<5x3xf32>
  }
}

// The offset of the slice is a size in a range (placeholder 5), so the slice is not folded, and all rows are stored.
module attributes {heddle.sizes = [{name = "past", low = 0, high = 6, placeholder = 5}]} {
  // CHECK-LABEL: @past
  func.func @past() -> tensor<2x3xf32> {
    // CHECK: %[[W:.*]] = heddle.weight "w" : tensor<8x3xf32>
    %w = heddle.weight "w" : tensor<8x3xf32>
    // CHECK: tensor.extract_slice %[[W]][5, 0] [2, 3] [1, 1]
    %0 = tensor.extract_slice %w[5, 0] [2, 3] [1, 1] : tensor<8x3xf32> to tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
