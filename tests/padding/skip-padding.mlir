// RUN: heddle-opt %s --heddle-skip-padding --cse --split-input-file | FileCheck %s

// heddle-skip-padding inserts selects that set rows of padding to zero after layers, if no result depends on these
// rows. Later stages compute these layers only for active rows. Here, the result of an encoder layer is summed over the
// active positions.

#bs = affine_map<(b, s) -> (b, s)>
#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

// CHECK-LABEL: @pooled
// CHECK-SAME: %[[M:[a-z0-9]*]]: tensor<2x4xi64>
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[M]] : tensor<2x4xi64>) {{.*}} {
// CHECK: arith.cmpi ne
// CHECK: %[[X:.*]] = heddle.weight "x"
// CHECK: %[[L:.*]] = heddle.linear %[[X]]
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[L]] : tensor<2x4xi1>, tensor<2x4x8xf32>)
// CHECK: arith.select
// CHECK: tensor.expand_shape %[[Q]]
// CHECK: heddle.attention
// CHECK: %[[N:.*]] = heddle.layer_norm
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[N]] : tensor<2x4xi1>, tensor<2x4x8xf32>)
// CHECK: arith.select
// CHECK: heddle.ffn %[[R]], {{.*}} residual(%[[R]])
// CHECK: arith.select
// CHECK: arith.mulf
func.func @pooled(%m: tensor<2x4xi64>) -> tensor<2x8xf32> {
  %x = heddle.weight "x" : tensor<2x4x8xf32>
  %w = heddle.weight "w" : tensor<8x8xf32>
  %zero = arith.constant 0 : i64
  %e1 = tensor.empty() : tensor<2x4xi1>
  %active = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
    ins(%m : tensor<2x4xi64>) outs(%e1 : tensor<2x4xi1>) {
  ^bb0(%in: i64, %out: i1):
    %flag = arith.cmpi ne, %in, %zero : i64
    linalg.yield %flag : i1
  } -> tensor<2x4xi1>
  %mask = tensor.expand_shape %active [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %q = heddle.linear %x, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %h = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %a = heddle.attention %h, %h, %h mask(%mask) masked_score(-3.4028234663852886e+38)
    query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x4xf32>
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  %n = heddle.layer_norm %c residual(%x) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %f = heddle.ffn %n, %w, %w residual(%n) : (tensor<2x4x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %e2 = tensor.empty() : tensor<2x4x8xf32>
  %p = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%active, %f : tensor<2x4xi1>, tensor<2x4x8xf32>) outs(%e2 : tensor<2x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %one = arith.uitofp %in : i1 to f32
    %kept = arith.mulf %value, %one : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x8xf32>
  %z = arith.constant dense<0.0> : tensor<2x8xf32>
  %sum = linalg.reduce { arith.addf } ins(%p : tensor<2x4x8xf32>) outs(%z : tensor<2x8xf32>) dimensions = [1]
  return %sum : tensor<2x8xf32>
}

// -----

// A key whose score is -inf does not matter, whatever the result is used for. Here the mask is a bias, there is one
// batch entry, and the layer's input [4, 8] has no batch dimension.

#s = affine_map<(s) -> (s)>

// CHECK-LABEL: @cross
// CHECK: %[[K:.*]] = heddle.linear %{{.*}}, %{{.*}} : (tensor<4x8xf32>
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[K]] : tensor<4xi1>, tensor<4x8xf32>)
// CHECK: arith.select
// CHECK: expand_shape %[[S]]
func.func @cross(%q: tensor<1x3x2x4xf32>, %x: tensor<4x8xf32>, %m: tensor<1x4xi32>, %w: tensor<8x8xf32>) -> tensor<1x3x2x4xf32> {
  %zero = arith.constant 0 : i32
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant 0.0 : f32
  %flat = tensor.collapse_shape %m [[0, 1]] : tensor<1x4xi32> into tensor<4xi32>
  %e = tensor.empty() : tensor<4xf32>
  %scores = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel"]}
    ins(%flat : tensor<4xi32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: i32, %out: f32):
    %gone = arith.cmpi eq, %in, %zero : i32
    %score = arith.select %gone, %low, %none : f32
    linalg.yield %score : f32
  } -> tensor<4xf32>
  %bias = tensor.expand_shape %scores [[0, 1, 2, 3]] output_shape [1, 1, 1, 4] : tensor<4xf32> into tensor<1x1x1x4xf32>
  %k = heddle.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %h = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [1, 4, 2, 4] : tensor<4x8xf32> into tensor<1x4x2x4xf32>
  %a = heddle.attention %q, %h, %h bias(%bias) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<1x3x2x4xf32>, tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x3x2x4xf32>
  return %a : tensor<1x3x2x4xf32>
}

// -----

// The model itself sets inactive rows to zero, so the pass uses the select of the model. The pass inserts another
// select after the attention.

#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

// CHECK-LABEL: @cleared
// CHECK-COUNT-2: arith.select
// CHECK-NOT: arith.select
func.func @cleared(%x: tensor<2x4x8xf32>, %m: tensor<2x4xi1>, %w: tensor<8x8xf32>) -> tensor<2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %h = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %a = heddle.attention %h, %h, %h mask(%mask)
    query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x4xf32>
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  %l = heddle.linear %c, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %e = tensor.empty() : tensor<2x4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %l : tensor<2x4xi1>, tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %kept = arith.select %in, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// -----

// Every row of the attention is returned. Keys and values at positions of padding are not needed, with two exceptions:
// in a batch entry that is padding as a whole, and in an entry whose values can be infinite or NaN, since a value is
// multiplied even by a probability of 0. %m is the mask of positions.

// CHECK-LABEL: @keys
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2x4x512xf32>, %[[M:[a-z0-9]*]]: tensor<2x4xi1>
// CHECK: %[[ANY:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[M]] : tensor<2x4xi1>)
// CHECK: arith.ori
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<2x4x512xf32>)
// CHECK: math.absf
// CHECK: arith.maximumf
// CHECK: %[[ORDINARY:.*]] = linalg.generic
// CHECK: arith.cmpf olt
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%[[M]], %[[ANY]], %[[ORDINARY]] : tensor<2x4xi1>, tensor<2xi1>, tensor<2xi1>)
// CHECK: %[[NONE:.*]] = arith.xori
// CHECK: arith.ori %{{.*}}, %[[NONE]]
// CHECK: %[[Q:.*]] = heddle.linear %{{.*}}
// CHECK: tensor.expand_shape %[[Q]]
// CHECK: %[[K:.*]] = heddle.linear %{{.*}}
// CHECK: linalg.generic {{.*}} ins(%[[W]], %[[K]] : tensor<2x4xi1>, tensor<2x4x512xf32>)
// CHECK: %[[V:.*]] = heddle.linear %{{.*}}
// CHECK: linalg.generic {{.*}} ins(%[[W]], %[[V]] : tensor<2x4xi1>, tensor<2x4x512xf32>)
// CHECK: heddle.attention
func.func @keys(%x: tensor<2x4x512xf32>, %m: tensor<2x4xi1>) -> tensor<2x4x2x256xf32> {
  %wq = heddle.weight "wq" : tensor<512x512xf32>
  %wk = heddle.weight "wk" : tensor<512x512xf32>
  %wv = heddle.weight "wv" : tensor<512x512xf32>
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %q = heddle.linear %x, %wq : (tensor<2x4x512xf32>, tensor<512x512xf32>) -> tensor<2x4x512xf32>
  %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 4, 2, 256] : tensor<2x4x512xf32> into tensor<2x4x2x256xf32>
  %k = heddle.linear %x, %wk : (tensor<2x4x512xf32>, tensor<512x512xf32>) -> tensor<2x4x512xf32>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 4, 2, 256] : tensor<2x4x512xf32> into tensor<2x4x2x256xf32>
  %v = heddle.linear %x, %wv : (tensor<2x4x512xf32>, tensor<512x512xf32>) -> tensor<2x4x512xf32>
  %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [2, 4, 2, 256] : tensor<2x4x512xf32> into tensor<2x4x2x256xf32>
  %a = heddle.attention %qh, %kh, %vh mask(%mask) masked_score(-3.4028234663852886e+38)
    query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x256xf32>, tensor<2x4x2x256xf32>, tensor<2x4x2x256xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x256xf32>
  return %a : tensor<2x4x2x256xf32>
}

// -----

// A mask replaces the score of a key by -1e4, so the key is not needed. The value of this key is not needed either if
// all scores of active keys are so much higher that its probability is 0. To decide this, generated code computes a
// bound of the scores from the largest elements of the queries and keys. The activity mask must be computed from
// integers. This mask is computed from floating-point numbers, so its own i1 elements are used as integers.

// CHECK-LABEL: @bounded
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<2x3x2x256xf32>
// CHECK: %[[MASK:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x1x1x4xi1>)
// CHECK: %[[FLAGS:.*]] = tensor.collapse_shape %[[MASK]] {{\[\[}}0, 1, 2], [3]]
// CHECK: %[[K:.*]] = heddle.linear
// CHECK: %[[KR:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[K]] : tensor<2x4xi1>, tensor<2x4x512xf32>)
// CHECK: %[[KH:.*]] = tensor.expand_shape %[[KR]]
// CHECK: %[[MQ:.*]] = linalg.generic {{.*}} ins(%[[Q]] :
// CHECK: math.absf
// CHECK: arith.maximumf
// CHECK: %[[MK:.*]] = linalg.generic {{.*}} ins(%[[KH]] :
// CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[MQ]], %[[MK]] :
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%[[FLAGS]], %{{.*}}, %{{.*}}, %[[C]] : tensor<2x4xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>)
// CHECK: %[[V:.*]] = heddle.linear
// CHECK: linalg.generic {{.*}} ins(%[[W]], %[[V]] : tensor<2x4xi1>, tensor<2x4x512xf32>)
func.func @bounded(%q: tensor<2x3x2x256xf32>, %x: tensor<2x4x512xf32>, %m: tensor<2x1x1x4xf32>) -> tensor<2x3x2x256xf32> {
  %wk = heddle.weight "wk" : tensor<512x512xf32>
  %wv = heddle.weight "wv" : tensor<512x512xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x1x1x4xi1>
  %mask = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%m : tensor<2x1x1x4xf32>) outs(%e : tensor<2x1x1x4xi1>) {
  ^bb0(%in: f32, %out: i1):
    %flag = arith.cmpf une, %in, %zero : f32
    linalg.yield %flag : i1
  } -> tensor<2x1x1x4xi1>
  %k = heddle.linear %x, %wk : (tensor<2x4x512xf32>, tensor<512x512xf32>) -> tensor<2x4x512xf32>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 4, 2, 256] : tensor<2x4x512xf32> into tensor<2x4x2x256xf32>
  %v = heddle.linear %x, %wv : (tensor<2x4x512xf32>, tensor<512x512xf32>) -> tensor<2x4x512xf32>
  %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [2, 4, 2, 256] : tensor<2x4x512xf32> into tensor<2x4x2x256xf32>
  %a = heddle.attention %q, %kh, %vh mask(%mask) masked_score(-1.0e+4)
    query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x3x2x256xf32>, tensor<2x4x2x256xf32>, tensor<2x4x2x256xf32>, tensor<2x1x1x4xi1>) -> tensor<2x3x2x256xf32>
  return %a : tensor<2x3x2x256xf32>
}

// -----

// The mask is computed after the layer, so the pass moves the operations that compute it before the layer.

// CHECK-LABEL: @late
// CHECK: arith.cmpi
// CHECK: %[[K:.*]] = heddle.linear
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[K]]
func.func @late(%q: tensor<2x3x2x4xf32>, %x: tensor<2x4x8xf32>, %m: tensor<8xi64>, %w: tensor<8x8xf32>) -> tensor<2x3x2x4xf32> {
  %k = heddle.linear %x, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %flags = tensor.expand_shape %m [[0, 1]] output_shape [2, 4] : tensor<8xi64> into tensor<2x4xi64>
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<2x4xi1>
  %active = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]} ins(%flags : tensor<2x4xi64>) outs(%e : tensor<2x4xi1>) {
  ^bb0(%in: i64, %out: i1):
    %flag = arith.cmpi ne, %in, %zero : i64
    linalg.yield %flag : i1
  } -> tensor<2x4xi1>
  %mask = tensor.expand_shape %active [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %a = heddle.attention %q, %kh, %kh mask(%mask)
    query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x3x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x1x1x4xi1>) -> tensor<2x3x2x4xf32>
  return %a : tensor<2x3x2x4xf32>
}

// -----

// A rotary embedding works row by row, so the pass examines the users of its result. The attention mixes the rows of
// its keys, but its mask removes the inactive rows.

#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

// CHECK-LABEL: @rotated
// CHECK: %[[L:.*]] = heddle.linear
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[L]] : tensor<2x4xi1>, tensor<2x4x8xf32>)
// CHECK: arith.select
// CHECK: expand_shape %[[S]]
// CHECK: heddle.rotary_embedding
func.func @rotated(%x: tensor<2x4x8xf32>, %m: tensor<2x4xi1>, %w: tensor<8x8xf32>, %t: tensor<4x2xf32>) -> tensor<2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %l = heddle.linear %x, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %h = tensor.expand_shape %l [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %q = heddle.rotary_embedding %h, %t, %t layout(bshd) : (tensor<2x4x2x4xf32>, tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<2x4x2x4xf32>
  %a = heddle.attention %q, %q, %h mask(%mask) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x4xf32>
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  %e = tensor.empty() : tensor<2x4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %c : tensor<2x4xi1>, tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %kept = arith.select %in, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// -----

// Rows of a batch entry that is padding as a whole are NaN, and 0 x NaN is NaN, so these rows are computed. The rows of
// other entries, which have a key, are finite, and their inactive rows are skipped.

#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

// CHECK-LABEL: @empty
// CHECK-SAME: %[[M:[a-z0-9]*]]: tensor<2x4xi1>
// CHECK: %[[ANY:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[M]] : tensor<2x4xi1>)
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%[[M]], %[[ANY]] : tensor<2x4xi1>, tensor<2xi1>)
// CHECK: %[[Q:.*]] = heddle.linear
// CHECK: linalg.generic {{.*}} ins(%[[W]], %[[Q]] : tensor<2x4xi1>, tensor<2x4x512xf32>)
// CHECK: %[[O:.*]] = heddle.linear
// CHECK: linalg.generic {{.*}} ins(%[[W]], %[[O]] : tensor<2x4xi1>, tensor<2x4x512xf32>)
func.func @empty(%m: tensor<2x4xi1>) -> tensor<2x512xf32> {
  %x = heddle.weight "x" : tensor<2x4x512xf32>
  %w = heddle.weight "w" : tensor<512x512xf32>
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %q = heddle.linear %x, %w : (tensor<2x4x512xf32>, tensor<512x512xf32>) -> tensor<2x4x512xf32>
  %h = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 4, 2, 256] : tensor<2x4x512xf32> into tensor<2x4x2x256xf32>
  %a = heddle.attention %h, %h, %h mask(%mask) empty_row(nan) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x256xf32>, tensor<2x4x2x256xf32>, tensor<2x4x2x256xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x256xf32>
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x256xf32> into tensor<2x4x512xf32>
  %o = heddle.linear %c, %w : (tensor<2x4x512xf32>, tensor<512x512xf32>) -> tensor<2x4x512xf32>
  %e = tensor.empty() : tensor<2x4x512xf32>
  %p = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %o : tensor<2x4xi1>, tensor<2x4x512xf32>) outs(%e : tensor<2x4x512xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %factor = arith.uitofp %in : i1 to f32
    %kept = arith.mulf %value, %factor : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x512xf32>
  %z = arith.constant dense<0.0> : tensor<2x512xf32>
  %sum = linalg.reduce { arith.addf } ins(%p : tensor<2x4x512xf32>) outs(%z : tensor<2x512xf32>) dimensions = [1]
  return %sum : tensor<2x512xf32>
}
