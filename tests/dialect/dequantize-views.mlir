// A view (transpose, slice, reshape or concat) of a quantized weight becomes a step in the recipes of its integers,
// scales and outliers, so that the view is computed when the library is written. A view is not changed if its elements
// would not form regular blocks with one scale each.
// RUN: heddle-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @transpose
func.func @transpose() -> tensor<64x8xf32> {
  // CHECK-DAG: %[[Q:.*]] = heddle.weight "q" via [#heddle.transpose<[1, 0]>] : tensor<64x8xi8>
  // CHECK-DAG: %[[S:.*]] = heddle.weight "s" via [#heddle.transpose<[1, 0]>] : tensor<2x8xf32>
  // CHECK: heddle.dequantize %[[Q]] scales(%[[S]] : tensor<2x8xf32>) block [32, 1] : tensor<64x8xi8> -> tensor<64x8xf32>
  %q = heddle.weight "q" : tensor<8x64xi8>
  %s = heddle.weight "s" : tensor<8x2xf32>
  %w = heddle.dequantize %q scales(%s : tensor<8x2xf32>) block [1, 32] : tensor<8x64xi8> -> tensor<8x64xf32>
  %empty = tensor.empty() : tensor<64x8xf32>
  %t = linalg.transpose ins(%w : tensor<8x64xf32>) outs(%empty : tensor<64x8xf32>) permutation = [1, 0]
  return %t : tensor<64x8xf32>
}

// CHECK-LABEL: @slice
func.func @slice() -> (tensor<40x4xf32>, tensor<8xf32>, tensor<16x8xf32>, tensor<20x8xf32>) {
  %q = heddle.weight "q" : tensor<96x8xi8>
  %s = heddle.weight "s" : tensor<3x8xf32>
  %e = heddle.weight "e" : tensor<2x8xf32>
  %plain = heddle.dequantize %q scales(%s : tensor<3x8xf32>) block [32, 1] : tensor<96x8xi8> -> tensor<96x8xf32>
  %w = heddle.dequantize %q scales(%s : tensor<3x8xf32>) outliers(%e : tensor<2x8xf32>) outlier_rows [5, 70] block [32, 1] : tensor<96x8xi8> -> tensor<96x8xf32>
  // The slice begins at the start of a block and contains one of the two outlier rows.
  // CHECK-DAG: heddle.weight "s" via [#heddle.slice<[1, 2], [2, 4]>] : tensor<2x4xf32>
  // CHECK-DAG: heddle.weight "e" via [#heddle.slice<[1, 2], [1, 4]>] : tensor<1x4xf32>
  // CHECK: heddle.dequantize {{.*}} outlier_rows [38] : tensor<40x4xi8> -> tensor<40x4xf32>
  %0 = tensor.extract_slice %w[32, 2] [40, 4] [1, 1] : tensor<96x8xf32> to tensor<40x4xf32>
  // The slice is one row.
  // CHECK: heddle.dequantize {{.*}} block [1] : tensor<8xi8> -> tensor<8xf32>
  %1 = tensor.extract_slice %plain[70, 0] [1, 8] [1, 1] : tensor<96x8xf32> to tensor<8xf32>
  // The slice lies within a block.
  // CHECK: heddle.dequantize {{.*}} block [32, 1] : tensor<16x8xi8> -> tensor<16x8xf32>
  %2 = tensor.extract_slice %plain[48, 0] [16, 8] [1, 1] : tensor<96x8xf32> to tensor<16x8xf32>
  // The slice begins within a block and ends within the next block, so it is not changed.
  // CHECK: tensor.extract_slice {{.*}}[20, 0] [20, 8]
  %3 = tensor.extract_slice %plain[20, 0] [20, 8] [1, 1] : tensor<96x8xf32> to tensor<20x8xf32>
  return %0, %1, %2, %3 : tensor<40x4xf32>, tensor<8xf32>, tensor<16x8xf32>, tensor<20x8xf32>
}

// CHECK-LABEL: @empty_slice
func.func @empty_slice() -> tensor<0x8xf32> {
  %q = heddle.weight "q" : tensor<64x8xi8>
  %s = heddle.weight "s" : tensor<2x8xf32>
  %w = heddle.dequantize %q scales(%s : tensor<2x8xf32>) block [32, 1] : tensor<64x8xi8> -> tensor<64x8xf32>
  // CHECK: return {{.*}} : tensor<0x8xf32>
  %0 = tensor.extract_slice %w[20, 0] [0, 8] [1, 1] : tensor<64x8xf32> to tensor<0x8xf32>
  return %0 : tensor<0x8xf32>
}

// If the indices of outlier rows are an operand, the outlier rows of a view are known only if the view contains all
// rows of the weight.
// CHECK-LABEL: @numbers
func.func @numbers() -> (tensor<96x4xf32>, tensor<40x8xf32>) {
  %q = heddle.weight "q" : tensor<96x8xi8>
  %s = heddle.weight "s" : tensor<3x8xf32>
  %e = heddle.weight "e" : tensor<2x8xf32>
  // CHECK: %[[N:.*]] = heddle.weight "q" via [#heddle.numbers<[5, 70]>] : tensor<2xi32>
  %n = heddle.weight "q" via [#heddle.numbers<[5, 70]>] : tensor<2xi32>
  %w = heddle.dequantize %q scales(%s : tensor<3x8xf32>) outliers(%e : tensor<2x8xf32>) outlier_indices(%n : tensor<2xi32>)
    block [32, 1] : tensor<96x8xi8> -> tensor<96x8xf32>
  // CHECK-DAG: %[[E:.*]] = heddle.weight "e" via [#heddle.slice<[0, 2], [2, 4]>] : tensor<2x4xf32>
  // CHECK: heddle.dequantize {{.*}} outliers(%[[E]] : tensor<2x4xf32>) block [32, 1] outlier_indices(%[[N]] : tensor<2xi32>) : tensor<96x4xi8>
  %0 = tensor.extract_slice %w[0, 2] [96, 4] [1, 1] : tensor<96x8xf32> to tensor<96x4xf32>
  // CHECK: tensor.extract_slice %{{.*}}[32, 0] [40, 8]
  %1 = tensor.extract_slice %w[32, 0] [40, 8] [1, 1] : tensor<96x8xf32> to tensor<40x8xf32>
  return %0, %1 : tensor<96x4xf32>, tensor<40x8xf32>
}

// CHECK-LABEL: @reshape
func.func @reshape() -> (tensor<96x8xf32>, tensor<6x16x8xf32>, tensor<4x24x8xf32>) {
  // The weight consists of 3 groups of 32 rows, with scales for each group. The reshape makes a matrix of 96 rows, with
  // scales for each block of 32 rows.
  // CHECK-DAG: heddle.weight "s" via [#heddle.reshape<[3, 8]>] : tensor<3x8xf32>
  // CHECK: heddle.dequantize {{.*}} block [32, 1] : tensor<96x8xi8> -> tensor<96x8xf32>
  %q = heddle.weight "q" : tensor<3x32x8xi8>
  %s = heddle.weight "s" : tensor<3x1x8xf32>
  %w = heddle.dequantize %q scales(%s : tensor<3x1x8xf32>) block [1, 32, 1] : tensor<3x32x8xi8> -> tensor<3x32x8xf32>
  %0 = tensor.collapse_shape %w [[0, 1], [2]] : tensor<3x32x8xf32> into tensor<96x8xf32>
  // CHECK: heddle.dequantize {{.*}} block [2, 16, 1] : tensor<6x16x8xi8> -> tensor<6x16x8xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [6, 16, 8] : tensor<96x8xf32> into tensor<6x16x8xf32>
  // CHECK: tensor.expand_shape {{.*}} tensor<96x8xf32> into tensor<4x24x8xf32>
  %2 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [4, 24, 8] : tensor<96x8xf32> into tensor<4x24x8xf32>
  return %0, %1, %2 : tensor<96x8xf32>, tensor<6x16x8xf32>, tensor<4x24x8xf32>
}

// CHECK-LABEL: @concat
func.func @concat() -> tensor<64x12xf32> {
  // CHECK-DAG: %[[Q:.*]] = heddle.weight "q" via [#heddle.concat<1, {{.*}}"r"{{.*}}>] : tensor<64x12xi8>
  // CHECK-DAG: %[[S:.*]] = heddle.weight "s" via [#heddle.concat<1, {{.*}}"t"{{.*}}>] : tensor<2x12xf32>
  // CHECK: heddle.dequantize %[[Q]] scales(%[[S]] : tensor<2x12xf32>) block [32, 1] : tensor<64x12xi8> -> tensor<64x12xf32>
  %q = heddle.weight "q" : tensor<64x8xi8>
  %s = heddle.weight "s" : tensor<2x8xf32>
  %r = heddle.weight "r" : tensor<64x4xi8>
  %t = heddle.weight "t" : tensor<2x4xf32>
  %a = heddle.dequantize %q scales(%s : tensor<2x8xf32>) block [32, 1] : tensor<64x8xi8> -> tensor<64x8xf32>
  %b = heddle.dequantize %r scales(%t : tensor<2x4xf32>) block [32, 1] : tensor<64x4xi8> -> tensor<64x4xf32>
  %c = tensor.concat dim(1) %a, %b : (tensor<64x8xf32>, tensor<64x4xf32>) -> tensor<64x12xf32>
  return %c : tensor<64x12xf32>
}
