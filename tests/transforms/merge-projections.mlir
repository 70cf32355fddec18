// RUN: heddle-opt %s --heddle-merge-projections --canonicalize | FileCheck %s

// The projections of one input to queries, keys and values become one layer, whose weight and bias are concatenated.
// The operands of the attention become slices of the result of this layer.
// CHECK-LABEL: @self_attention
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2x3x8xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<{{.*}}> : tensor<20xf32>
// CHECK-DAG: %[[W:.*]] = heddle.weight "q" via [#heddle.concat<1, {{\[\["k", \[#heddle.transpose<\[1, 0\]>\]\], \["v", \[\]\]\]}}>] : tensor<8x20xf32>
// CHECK: %[[L:.*]] = heddle.linear %[[X]], %[[W]] bias(%[[B]])
// CHECK-DAG: tensor.extract_slice %[[L]][0, 0, 0] [2, 3, 8] [1, 1, 1]
// CHECK-DAG: tensor.extract_slice %[[L]][0, 0, 8] [2, 3, 8] [1, 1, 1]
// CHECK-DAG: tensor.extract_slice %[[L]][0, 0, 16] [2, 3, 4] [1, 1, 1]
// CHECK-NOT: heddle.linear
func.func @self_attention(%x: tensor<2x3x8xf32>) -> tensor<2x3x2x2xf32> {
  %wk = heddle.weight "k" via [#heddle.transpose<[1, 0]>] : tensor<8x8xf32>
  %bk = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32>
  %k = heddle.linear %x, %wk bias(%bk) : (tensor<2x3x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  %ke = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 3, 2, 4] : tensor<2x3x8xf32> into tensor<2x3x2x4xf32>
  %wq = heddle.weight "q" : tensor<8x8xf32>
  %bq = arith.constant dense<1.0> : tensor<8xf32>
  %q = heddle.linear %x, %wq bias(%bq) : (tensor<2x3x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  %qe = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 3, 2, 4] : tensor<2x3x8xf32> into tensor<2x3x2x4xf32>
  %wv = heddle.weight "v" : tensor<8x4xf32>
  %bv = arith.constant dense<2.0> : tensor<4xf32>
  %v = heddle.linear %x, %wv bias(%bv) : (tensor<2x3x8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %ve = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [2, 3, 2, 2] : tensor<2x3x4xf32> into tensor<2x3x2x2xf32>
  %a = heddle.attention %qe, %ke, %ve query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x2xf32>) -> tensor<2x3x2x2xf32>
  return %a : tensor<2x3x2x2xf32>
}

// Each projection has its own input, so none are merged.

// CHECK-LABEL: @cross
// CHECK-COUNT-2: heddle.linear
func.func @cross(%x: tensor<2x1x3x8xf32>, %y: tensor<2x1x3x8xf32>, %v: tensor<2x1x3x8xf32>) -> tensor<2x1x3x8xf32> {
  %wk = heddle.weight "k" : tensor<8x8xf32>
  %wq = heddle.weight "q" : tensor<8x8xf32>
  %k = heddle.linear %x, %wk : (tensor<2x1x3x8xf32>, tensor<8x8xf32>) -> tensor<2x1x3x8xf32>
  %q = heddle.linear %y, %wq : (tensor<2x1x3x8xf32>, tensor<8x8xf32>) -> tensor<2x1x3x8xf32>
  %a = heddle.attention %q, %k, %v : (tensor<2x1x3x8xf32>, tensor<2x1x3x8xf32>, tensor<2x1x3x8xf32>) -> tensor<2x1x3x8xf32>
  return %a : tensor<2x1x3x8xf32>
}

// Projections in 8 bits with the same rounding are merged: integers, scales and outlier rows of their weights are
// concatenated. The projection to values has no outlier channels, so it is not merged with the others.

// CHECK-LABEL: @rounded
// CHECK: heddle.linear {{.*}} rounding(<ui8>)
// CHECK-DAG: %[[Q:.*]] = heddle.weight "q8" via [#heddle.quantize<8, [8, 1], outliers[2]>, #heddle.concat<1, {{\[\["k8", \[#heddle.quantize<8, \[8, 1\], outliers\[2\]>\]\]\]}}>] : tensor<8x12xi8>
// CHECK-DAG: %[[S:.*]] = heddle.weight "q8" via [#heddle.scales<8, [8, 1], outliers[2]>, #heddle.concat<1, {{\[\["k8", \[#heddle.scales<8, \[8, 1\], outliers\[2\]>\]\]\]}}>] : tensor<1x12xf32>
// CHECK-DAG: %[[E:.*]] = heddle.weight "q8" via [#heddle.take<[2]>, #heddle.concat<1, {{\[\["k8", \[#heddle.take<\[2\]>\]\]\]}}>] : tensor<1x12xf32>
// CHECK: %[[W:.*]] = heddle.dequantize %[[Q]] scales(%[[S]] : tensor<1x12xf32>) outliers(%[[E]] : tensor<1x12xf32>) block [8, 1] outlier_rows [2] : tensor<8x12xi8> -> tensor<8x12xf32>
// CHECK: heddle.linear %{{.*}}, %[[W]] rounding(<ui8 outliers[2]>)
func.func @rounded(%x: tensor<2x3x8xf32>) -> tensor<2x3x2x4xf32> {
  %iv = heddle.weight "v8" via [#heddle.quantize<8, [8, 1]>] : tensor<8x4xi8>
  %sv = heddle.weight "v8" via [#heddle.scales<8, [8, 1]>] : tensor<1x4xf32>
  %wv = heddle.dequantize %iv scales(%sv : tensor<1x4xf32>) block [8, 1] : tensor<8x4xi8> -> tensor<8x4xf32>
  %v = heddle.linear %x, %wv rounding(<ui8>) : (tensor<2x3x8xf32>, tensor<8x4xf32>) -> tensor<2x3x4xf32>
  %ve = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [2, 3, 1, 4] : tensor<2x3x4xf32> into tensor<2x3x1x4xf32>
  %iq = heddle.weight "q8" via [#heddle.quantize<8, [8, 1], outliers[2]>] : tensor<8x8xi8>
  %sq = heddle.weight "q8" via [#heddle.scales<8, [8, 1], outliers[2]>] : tensor<1x8xf32>
  %eq = heddle.weight "q8" via [#heddle.take<[2]>] : tensor<1x8xf32>
  %wq = heddle.dequantize %iq scales(%sq : tensor<1x8xf32>) outliers(%eq : tensor<1x8xf32>) block [8, 1] outlier_rows [2]
    : tensor<8x8xi8> -> tensor<8x8xf32>
  %q = heddle.linear %x, %wq rounding(<ui8 outliers[2]>) : (tensor<2x3x8xf32>, tensor<8x8xf32>) -> tensor<2x3x8xf32>
  %qe = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 3, 2, 4] : tensor<2x3x8xf32> into tensor<2x3x2x4xf32>
  %ik = heddle.weight "k8" via [#heddle.quantize<8, [8, 1], outliers[2]>] : tensor<8x4xi8>
  %sk = heddle.weight "k8" via [#heddle.scales<8, [8, 1], outliers[2]>] : tensor<1x4xf32>
  %ek = heddle.weight "k8" via [#heddle.take<[2]>] : tensor<1x4xf32>
  %wk = heddle.dequantize %ik scales(%sk : tensor<1x4xf32>) outliers(%ek : tensor<1x4xf32>) block [8, 1] outlier_rows [2]
    : tensor<8x4xi8> -> tensor<8x4xf32>
  %k = heddle.linear %x, %wk rounding(<ui8 outliers[2]>) : (tensor<2x3x8xf32>, tensor<8x4xf32>) -> tensor<2x3x4xf32>
  %ke = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 3, 1, 4] : tensor<2x3x4xf32> into tensor<2x3x1x4xf32>
  %a = heddle.attention %qe, %ke, %ve query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x3x2x4xf32>, tensor<2x3x1x4xf32>, tensor<2x3x1x4xf32>) -> tensor<2x3x2x4xf32>
  return %a : tensor<2x3x2x4xf32>
}
