// RUN: heddle-opt %s --heddle-merge-projections --canonicalize --split-input-file | FileCheck %s

// A select with the mask %m makes inactive rows (padding) of the projections to keys and values zero. These two
// projections are merged, and one select follows them. The projection to queries has no select and is not merged.

#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

// CHECK-LABEL: @rows
// CHECK-SAME: %[[M:[a-z0-9]*]]: tensor<2x3xi1>
// CHECK: %[[Q:.*]] = heddle.linear
// CHECK: tensor.expand_shape %[[Q]]
// CHECK: %[[L:.*]] = heddle.linear {{.*}} -> tensor<2x3x16xf32>
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[M]], %[[L]] : tensor<2x3xi1>, tensor<2x3x16xf32>)
// CHECK: tensor.extract_slice %[[R]][0, 0, 0] [2, 3, 8] [1, 1, 1]
// CHECK: tensor.extract_slice %[[R]][0, 0, 8] [2, 3, 8] [1, 1, 1]
// CHECK-NOT: heddle.linear
// CHECK: heddle.attention
func.func @rows(%x: tensor<2x3x8xf32>, %m: tensor<2x3xi1>) -> tensor<2x3x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x8xf32>
  %wq = heddle.weight "q" : tensor<8x8xf32>
  %q = heddle.linear %x, %wq : (tensor<2x3x8xf32>, tensor<8x8xf32>) -> tensor<2x3x8xf32>
  %qe = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 3, 2, 4] : tensor<2x3x8xf32> into tensor<2x3x2x4xf32>
  %wk = heddle.weight "k" : tensor<8x8xf32>
  %k = heddle.linear %x, %wk : (tensor<2x3x8xf32>, tensor<8x8xf32>) -> tensor<2x3x8xf32>
  %kr = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %k : tensor<2x3xi1>, tensor<2x3x8xf32>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %kept = arith.select %in, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<2x3x8xf32>
  %ke = tensor.expand_shape %kr [[0], [1], [2, 3]] output_shape [2, 3, 2, 4] : tensor<2x3x8xf32> into tensor<2x3x2x4xf32>
  %wv = heddle.weight "v" : tensor<8x8xf32>
  %v = heddle.linear %x, %wv : (tensor<2x3x8xf32>, tensor<8x8xf32>) -> tensor<2x3x8xf32>
  %vr = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %v : tensor<2x3xi1>, tensor<2x3x8xf32>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %kept = arith.select %in, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<2x3x8xf32>
  %ve = tensor.expand_shape %vr [[0], [1], [2, 3]] output_shape [2, 3, 2, 4] : tensor<2x3x8xf32> into tensor<2x3x2x4xf32>
  %a = heddle.attention %qe, %ke, %ve query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
  return %a : tensor<2x3x2x4xf32>
}

// -----

// The layer of %q precedes the layer of %k, but the select of %k precedes the select of %q. The slices of the merged
// projection are inserted at the select of %k, because the result of this select is used before the select of %q.

// CHECK-LABEL: @order
// CHECK: %[[L:.*]] = heddle.linear {{.*}} -> tensor<2x4x16xf32>
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[L]] : tensor<2x4xi1>, tensor<2x4x16xf32>)
// CHECK: tensor.extract_slice %[[R]]
// CHECK: linalg.transpose
// CHECK-NOT: arith.select
// CHECK: heddle.attention
#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>
func.func @order(%x: tensor<2x4x8xf32>, %m: tensor<2x4xi1>)
    -> (tensor<2x4x2x4xf32>, tensor<4x2x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %wq = heddle.weight "wq" : tensor<8x8xf32>
  %wk = heddle.weight "wk" : tensor<8x8xf32>
  %q = heddle.linear %x, %wq : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %k = heddle.linear %x, %wk : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %e = tensor.empty() : tensor<2x4x8xf32>
  %sk = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %k : tensor<2x4xi1>, tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %kept = arith.select %in, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x8xf32>
  %kh = tensor.expand_shape %sk [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %te = tensor.empty() : tensor<4x2x8xf32>
  %t = linalg.transpose ins(%sk : tensor<2x4x8xf32>) outs(%te : tensor<4x2x8xf32>) permutation = [1, 0, 2]
  %sq = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %q : tensor<2x4xi1>, tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %kept = arith.select %in, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x8xf32>
  %qh = tensor.expand_shape %sq [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %a = heddle.attention %qh, %kh, %kh
    query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>) -> tensor<2x4x2x4xf32>
  return %a, %t : tensor<2x4x2x4xf32>, tensor<4x2x8xf32>
}

// -----

// A mask of single elements is not an activity mask of rows, so the projections are not merged.

// CHECK-LABEL: @columns
// CHECK-COUNT-2: heddle.linear {{.*}} -> tensor<2x4x8xf32>
#row = affine_map<(b, s, h) -> (b, s, h)>
#all = affine_map<(b, s, h) -> (b, s, h)>
func.func @columns(%x: tensor<2x4x8xf32>, %m: tensor<2x4x8xi1>) -> tensor<2x4x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %wq = heddle.weight "wq" : tensor<8x8xf32>
  %wk = heddle.weight "wk" : tensor<8x8xf32>
  %q = heddle.linear %x, %wq : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %k = heddle.linear %x, %wk : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %e = tensor.empty() : tensor<2x4x8xf32>
  %sq = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %q : tensor<2x4x8xi1>, tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %kept = arith.select %in, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x8xf32>
  %qh = tensor.expand_shape %sq [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %sk = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %k : tensor<2x4x8xi1>, tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %kept = arith.select %in, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x8xf32>
  %kh = tensor.expand_shape %sk [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %a = heddle.attention %qh, %kh, %kh
    query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>) -> tensor<2x4x2x4xf32>
  return %a : tensor<2x4x2x4xf32>
}
