// RUN: heddle-opt %s --heddle-skip-padding --split-input-file | FileCheck %s

// heddle-skip-padding computes a layer only for rows that are not padding, if later operations do not use the other
// rows. In each function of this file, a row that may be padding is used, or skipping does not pay off. So the pass
// must not insert a select, which marks skipped rows.
// CHECK-NOT: arith.select

// All rows of the result are returned.

func.func @returned(%x: tensor<2x4x2x4xf32>, %m: tensor<2x4xi1>) -> tensor<2x4x8xf32> {
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %a = heddle.attention %x, %x, %x mask(%mask) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x4xf32>
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  %n = heddle.layer_norm %c : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %n : tensor<2x4x8xf32>
}

// -----

// In the first attention, the masked score of padding keys is -100. In the second one, their score is the lowest finite
// number, but the causal order may leave a query without any other key. The layers are large enough for skipping to
// pay off.

func.func @finite(%q: tensor<2x4x2x131072xf32>, %x: tensor<2x4x262144xf32>, %m: tensor<2x4xi1>)
    -> (tensor<2x4x2x131072xf32>, tensor<2x4x2x131072xf32>) {
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %k = heddle.layer_norm %x : (tensor<2x4x262144xf32>) -> tensor<2x4x262144xf32>
  %h = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 4, 2, 131072] : tensor<2x4x262144xf32> into tensor<2x4x2x131072xf32>
  %a = heddle.attention %q, %h, %h mask(%mask) masked_score(-1.0e+2) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x131072xf32>, tensor<2x4x2x131072xf32>, tensor<2x4x2x131072xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x131072xf32>
  %l = heddle.layer_norm %x epsilon(1.0) : (tensor<2x4x262144xf32>) -> tensor<2x4x262144xf32>
  %hl = tensor.expand_shape %l [[0], [1], [2, 3]] output_shape [2, 4, 2, 131072] : tensor<2x4x262144xf32> into tensor<2x4x2x131072xf32>
  %b = heddle.attention %q, %hl, %hl mask(%mask) masked_score(-3.4028234663852886e+38) causal(upper_left)
    query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x131072xf32>, tensor<2x4x2x131072xf32>, tensor<2x4x2x131072xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x131072xf32>
  return %a, %b : tensor<2x4x2x131072xf32>, tensor<2x4x2x131072xf32>
}

// -----

// Two attention operations read the same keys, and the mask of the first is transposed: it combines positions of both
// batch entries. A key that is padding for the second attention may therefore be used by the first.

func.func @transposed(%q: tensor<2x2x2x4xf32>, %x: tensor<2x2x8xf32>, %m: tensor<2x2xi1>) -> tensor<2x2x2x4xf32> {
  %e = tensor.empty() : tensor<2x2xi1>
  %t = linalg.transpose ins(%m : tensor<2x2xi1>) outs(%e : tensor<2x2xi1>) permutation = [1, 0]
  %mask = tensor.expand_shape %t [[0], [1, 2, 3]] output_shape [2, 1, 1, 2] : tensor<2x2xi1> into tensor<2x1x1x2xi1>
  %mask2 = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 2] : tensor<2x2xi1> into tensor<2x1x1x2xi1>
  %k = heddle.layer_norm %x : (tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
  %h = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 2, 2, 4] : tensor<2x2x8xf32> into tensor<2x2x2x4xf32>
  %a = heddle.attention %q, %h, %h mask(%mask) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x2x2x4xf32>, tensor<2x2x2x4xf32>, tensor<2x2x2x4xf32>, tensor<2x1x1x2xi1>) -> tensor<2x2x2x4xf32>
  %b = heddle.attention %a, %h, %h mask(%mask2) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x2x2x4xf32>, tensor<2x2x2x4xf32>, tensor<2x2x2x4xf32>, tensor<2x1x1x2xi1>) -> tensor<2x2x2x4xf32>
  return %b : tensor<2x2x2x4xf32>
}

// -----

// The result of one layer is read at the first position, even if the mask of this position is 0, and the result of the
// other layer is summed over all positions.

func.func @pooled(%m: tensor<2x4xi1>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %x = heddle.weight "x" : tensor<2x4x2x4xf32>
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %a = heddle.attention %x, %x, %x mask(%mask) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x4xf32>
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  %n = heddle.layer_norm %c : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %first = tensor.extract_slice %n[0, 0, 0] [2, 1, 8] [1, 1, 1] : tensor<2x4x8xf32> to tensor<2x8xf32>
  %o = heddle.layer_norm %c epsilon(1.0) : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %z = arith.constant dense<0.0> : tensor<2x8xf32>
  %sum = linalg.reduce { arith.addf } ins(%o : tensor<2x4x8xf32>) outs(%z : tensor<2x8xf32>) dimensions = [1]
  return %first, %sum : tensor<2x8xf32>, tensor<2x8xf32>
}

// -----

// The layer that computes keys and values is so small that testing the activity mask costs more than skipping rows
// saves.

func.func @small(%x: tensor<2x4x8xf32>, %m: tensor<2x4xi1>) -> tensor<2x4x2x4xf32> {
  %w = heddle.weight "w" : tensor<8x8xf32>
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %q = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %k = heddle.linear %x, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %h = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %a = heddle.attention %q, %h, %h mask(%mask) masked_score(-3.4028234663852886e+38)
    query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x4xf32>
  return %a : tensor<2x4x2x4xf32>
}

// -----

// In @ordered, the mask also contains a causal order, so a query may have no key. In @broadcast, all batch entries use
// the same rows of the layer. If scores of an entry are close to the masked score, all rows of this entry count as
// active, so a row may be active in one entry and inactive in another.

#flag = affine_map<(b, h, q, k) -> (b, k)>
#all = affine_map<(b, h, q, k) -> (b, h, q, k)>

func.func @ordered(%q: tensor<2x4x2x256xf32>, %x: tensor<2x4x512xf32>, %m: tensor<2x4xi1>) -> tensor<2x4x2x256xf32> {
  %w = heddle.weight "w" : tensor<512x512xf32>
  %e = tensor.empty() : tensor<2x1x4x4xi1>
  %mask = linalg.generic {indexing_maps = [#flag, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%m : tensor<2x4xi1>) outs(%e : tensor<2x1x4x4xi1>) {
  ^bb0(%in: i1, %out: i1):
    %query = linalg.index 2 : index
    %key = linalg.index 3 : index
    %before = arith.cmpi ule, %key, %query : index
    %flag = arith.andi %in, %before : i1
    linalg.yield %flag : i1
  } -> tensor<2x1x4x4xi1>
  %v = heddle.linear %x, %w : (tensor<2x4x512xf32>, tensor<512x512xf32>) -> tensor<2x4x512xf32>
  %h = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [2, 4, 2, 256] : tensor<2x4x512xf32> into tensor<2x4x2x256xf32>
  %a = heddle.attention %q, %q, %h mask(%mask) masked_score(-1.0e+9) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x256xf32>, tensor<2x4x2x256xf32>, tensor<2x4x2x256xf32>, tensor<2x1x4x4xi1>) -> tensor<2x4x2x256xf32>
  return %a : tensor<2x4x2x256xf32>
}

// -----

func.func @broadcast(%q: tensor<2x4x2x256xf32>, %x: tensor<4x512xf32>, %m: tensor<1x4xi1>) -> tensor<2x4x2x256xf32> {
  %w = heddle.weight "w" : tensor<512x512xf32>
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [1, 1, 1, 4] : tensor<1x4xi1> into tensor<1x1x1x4xi1>
  %v = heddle.linear %x, %w : (tensor<4x512xf32>, tensor<512x512xf32>) -> tensor<4x512xf32>
  %e = tensor.empty() : tensor<2x4x512xf32>
  %b = linalg.broadcast ins(%v : tensor<4x512xf32>) outs(%e : tensor<2x4x512xf32>) dimensions = [0]
  %h = tensor.expand_shape %b [[0], [1], [2, 3]] output_shape [2, 4, 2, 256] : tensor<2x4x512xf32> into tensor<2x4x2x256xf32>
  %a = heddle.attention %q, %q, %h mask(%mask) masked_score(-1.0e+9) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x256xf32>, tensor<2x4x2x256xf32>, tensor<2x4x2x256xf32>, tensor<1x1x1x4xi1>) -> tensor<2x4x2x256xf32>
  return %a : tensor<2x4x2x256xf32>
}

// -----

// The layer norms compute keys of linear attention, which has no mask, and the tables of a rotary embedding, which the
// pass regards as shared by all rows.

#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

func.func @shared(%x: tensor<1x4x8xf32>, %q: tensor<1x4x2x8xf32>, %m: tensor<1x4xi1>) -> tensor<1x4x8xf32> {
  %n = heddle.layer_norm %x : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %l = heddle.linear_attention %x, %n, %n : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %t = heddle.layer_norm %x epsilon(1.0) : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %s = tensor.extract_slice %t[0, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<1x4x8xf32> to tensor<1x4x4xf32>
  %p = heddle.rotary_embedding %q, %s, %s layout(bshd) : (tensor<1x4x2x8xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x4x2x8xf32>
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [1, 1, 1, 4] : tensor<1x4xi1> into tensor<1x1x1x4xi1>
  %a = heddle.attention %p, %q, %q mask(%mask) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x1x1x4xi1>) -> tensor<1x4x2x8xf32>
  %c = tensor.extract_slice %a[0, 0, 0, 0] [1, 4, 1, 8] [1, 1, 1, 1] : tensor<1x4x2x8xf32> to tensor<1x4x8xf32>
  %sum = arith.addf %l, %c : tensor<1x4x8xf32>
  %e = tensor.empty() : tensor<1x4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %sum : tensor<1x4xi1>, tensor<1x4x8xf32>) outs(%e : tensor<1x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %factor = arith.uitofp %in : i1 to f32
    %kept = arith.mulf %value, %factor : f32
    linalg.yield %kept : f32
  } -> tensor<1x4x8xf32>
  return %r : tensor<1x4x8xf32>
}

// -----

// A factor of zero does not turn NaN or infinity into zero. An inactive row may contain either: in @given, because a
// caller may pass such numbers; in @empty, because a row without any key is NaN (the layer is so small that an activity
// mask that includes such rows does not pay off); in @twice, because a bias of twice the lowest finite number is -inf.

#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

func.func @given(%x: tensor<2x4x8xf32>, %q: tensor<2x4x2x4xf32>, %m: tensor<2x4xi1>) -> tensor<2x4x8xf32> {
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %a = heddle.attention %q, %q, %q mask(%mask) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x4xf32>
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  %n = heddle.layer_norm %x residual(%c) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %e = tensor.empty() : tensor<2x4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %n : tensor<2x4xi1>, tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %factor = arith.uitofp %in : i1 to f32
    %kept = arith.mulf %value, %factor : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// -----

#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

func.func @empty(%m: tensor<2x4xi1>) -> tensor<2x4x8xf32> {
  %x = heddle.weight "x" : tensor<2x4x2x4xf32>
  %w = heddle.weight "w" : tensor<8x8xf32>
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %a = heddle.attention %x, %x, %x mask(%mask) empty_row(nan) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x4xf32>
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  %n = heddle.linear %c, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %e = tensor.empty() : tensor<2x4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %n : tensor<2x4xi1>, tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %factor = arith.uitofp %in : i1 to f32
    %kept = arith.mulf %value, %factor : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// -----

#row = affine_map<(b, s, h) -> (b, s)>
#bs = affine_map<(b, s) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

func.func @twice(%m: tensor<2x4xi1>) -> tensor<2x4x8xf32> {
  %x = heddle.weight "x" : tensor<2x4x2x4xf32>
  %w = heddle.weight "w" : tensor<8x8xf32>
  %one = arith.constant 1.0 : f32
  %largest = arith.constant 3.40282347E+38 : f32
  %s = tensor.empty() : tensor<2x4xf32>
  %scores = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
    ins(%m : tensor<2x4xi1>) outs(%s : tensor<2x4xf32>) {
  ^bb0(%in: i1, %out: f32):
    %real = arith.uitofp %in : i1 to f32
    %less = arith.subf %real, %one : f32
    %once = arith.mulf %less, %largest : f32
    %twice = arith.addf %once, %once : f32
    linalg.yield %twice : f32
  } -> tensor<2x4xf32>
  %bias = tensor.expand_shape %scores [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xf32> into tensor<2x1x1x4xf32>
  %a = heddle.attention %x, %x, %x bias(%bias) empty_row(nan) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x1x1x4xf32>) -> tensor<2x4x2x4xf32>
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  %n = heddle.linear %c, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %e = tensor.empty() : tensor<2x4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %n : tensor<2x4xi1>, tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %factor = arith.uitofp %in : i1 to f32
    %kept = arith.mulf %value, %factor : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// -----

// With epsilon 0, the norm of a row of zeros is NaN. A skipped row consists of zeros, so the norm would turn it into
// NaN, although the model computes no NaN in this row.

#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

func.func @divided(%m: tensor<2x4xi1>) -> tensor<2x4x8xf32> {
  %x = heddle.weight "x" : tensor<2x4x2x4xf32>
  %w = heddle.weight "w" : tensor<8x8xf32>
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %a = heddle.attention %x, %x, %x mask(%mask) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x4xf32>
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  %l = heddle.linear %c, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %n = heddle.rms_norm %l epsilon(0.0) : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %e = tensor.empty() : tensor<2x4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %n : tensor<2x4xi1>, tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %factor = arith.uitofp %in : i1 to f32
    %kept = arith.mulf %value, %factor : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// -----

// Rounded to f32, the epsilon of this norm, 1e-60, is 0.

#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

func.func @divided_by_a_small_number(%m: tensor<2x4xi1>) -> tensor<2x4x8xf32> {
  %x = heddle.weight "x" : tensor<2x4x2x4xf32>
  %w = heddle.weight "w" : tensor<8x8xf32>
  %mask = tensor.expand_shape %m [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xi1> into tensor<2x1x1x4xi1>
  %a = heddle.attention %x, %x, %x mask(%mask) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x1x1x4xi1>) -> tensor<2x4x2x4xf32>
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  %l = heddle.linear %c, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %n = heddle.rms_norm %l epsilon(1.0e-60) : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %e = tensor.empty() : tensor<2x4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %n : tensor<2x4xi1>, tensor<2x4x8xf32>) outs(%e : tensor<2x4x8xf32>) {
  ^bb0(%in: i1, %value: f32, %out: f32):
    %factor = arith.uitofp %in : i1 to f32
    %kept = arith.mulf %value, %factor : f32
    linalg.yield %kept : f32
  } -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}
