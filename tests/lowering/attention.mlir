// RUN: heddle-opt %s --split-input-file --heddle-tile=strategy=attention=attention-online:block_q=64 | FileCheck %s
// RUN: heddle-opt %s --split-input-file --heddle-tile=strategy=attention=attention-online:block_q=48 | FileCheck %s --check-prefix=CORNER

// 90 queries are cut into two blocks of 45, each in 48 lanes. Since the blocks are equal, there is no second copy of
// the code.
// CHECK-LABEL: @blocks
// CHECK: scf.forall {{.*}} in (2, 3, 2)
// Query heads 0 to 2 share key head 0.
// CHECK: tensor.extract_slice %arg1[%{{.*}}, 0, 0, 0] [1, 1, 310, 8]
// Lanes without a query contain 0.
// CHECK: tensor.pad {{.*}} low[0, 0] high[3, 0]
// CHECK: tensor<45x8xf32> to tensor<48x8xf32>
// Scores are in units of log(2): the queries are scaled by log2(e) / sqrt(8).
// CHECK: arith.constant 0.510069{{.*}} : f32
// CHECK: scf.for {{.*}} -> (tensor<48xf32>, tensor<48xf32>, tensor<4x48xf32>, tensor<155x48xf32>)
func.func @blocks(%q: tensor<2x3x90x8xf32>, %k: tensor<2x1x310x8xf32>, %v: tensor<2x1x310x4xf32>) -> tensor<2x3x90x4xf32>
    attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v
    : (tensor<2x3x90x8xf32>, tensor<2x1x310x8xf32>, tensor<2x1x310x4xf32>) -> tensor<2x3x90x4xf32>
  return %0 : tensor<2x3x90x4xf32>
}

// -----

// Up to 1.5 times as many keys as in a block are computed as a single block, without a running maximum.
// CHECK-LABEL: @one_block
// CHECK: linalg.fill {{.*}} outs({{.*}} : tensor<288x48xf32>)
func.func @one_block(%q: tensor<1x1x48x8xf32>, %k: tensor<1x1x288x8xf32>, %v: tensor<1x1x288x8xf32>) -> tensor<1x1x48x8xf32>
    attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v
    : (tensor<1x1x48x8xf32>, tensor<1x1x288x8xf32>, tensor<1x1x288x8xf32>) -> tensor<1x1x48x8xf32>
  return %0 : tensor<1x1x48x8xf32>
}

// -----

// With few keys, the output is computed as [queries][Dv], which needs no transposition. In the product of the attention
// probabilities [keys][lanes] with the values, each probability is then a scalar that is multiplied by a vector of a
// value row. If a value is not finite, the task is computed again with checks.
// CHECK-LABEL: @rows
// CHECK: heddle.exp2_nonpositive
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<14x24xf32>, tensor<14x13xf32>) outs({{.*}} : tensor<13x24xf32>)
// CHECK: arith.cmpi sge, {{.*}} : i32
// CHECK: scf.for {{.*}} -> (tensor<16xf32>, tensor<13x24xf32>, tensor<14x16xf32>)
func.func @rows(%q: tensor<1x1x13x8xf32>, %k: tensor<1x1x14x8xf32>, %v: tensor<1x1x14x24xf32>) -> tensor<1x1x13x24xf32>
    attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v
    : (tensor<1x1x13x8xf32>, tensor<1x1x14x8xf32>, tensor<1x1x14x24xf32>) -> tensor<1x1x13x24xf32>
  return %0 : tensor<1x1x13x24xf32>
}

// -----

// Scores are in natural units, not in units of log(2), if the softmax is in f64 or if there is a bias: a bias may be
// the lowest finite number, whose product with log2(e) is -inf.
// CHECK-LABEL: @natural
// CHECK: arith.constant 0.353553{{.*}} : f32
// CHECK: math.exp {{.*}} : f64
// CHECK: arith.constant 0.353553{{.*}} : f32
// CHECK: heddle.exp_nonpositive {{.*}} : f32
func.func @natural(%q: tensor<1x1x16x8xf32>, %k: tensor<1x1x9x8xf32>, %v: tensor<1x1x9x8xf32>, %bias: tensor<16x9xf32>)
    -> (tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>) attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v softmax_precision(f64)
    : (tensor<1x1x16x8xf32>, tensor<1x1x9x8xf32>, tensor<1x1x9x8xf32>) -> tensor<1x1x16x8xf32>
  %1 = heddle.attention %q, %k, %v bias(%bias)
    : (tensor<1x1x16x8xf32>, tensor<1x1x9x8xf32>, tensor<1x1x9x8xf32>, tensor<16x9xf32>) -> tensor<1x1x16x8xf32>
  return %0, %1 : tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>
}

// -----

// A bias may have any type of floats. It is converted to the type of scores: a wider one is rounded.
// CHECK-LABEL: @bias_types
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.extf %{{.*}} : f32 to f64
func.func @bias_types(%q: tensor<1x1x16x8xf32>, %k: tensor<1x1x9x8xf32>, %wide: tensor<16x9xf64>,
                      %p: tensor<1x1x16x8xf64>, %l: tensor<1x1x9x8xf64>, %narrow: tensor<16x9xf32>)
    -> (tensor<1x1x16x8xf32>, tensor<1x1x16x8xf64>) attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %k bias(%wide)
    : (tensor<1x1x16x8xf32>, tensor<1x1x9x8xf32>, tensor<1x1x9x8xf32>, tensor<16x9xf64>) -> tensor<1x1x16x8xf32>
  %1 = heddle.attention %p, %l, %l bias(%narrow)
    : (tensor<1x1x16x8xf64>, tensor<1x1x9x8xf64>, tensor<1x1x9x8xf64>, tensor<16x9xf32>) -> tensor<1x1x16x8xf64>
  return %0, %1 : tensor<1x1x16x8xf32>, tensor<1x1x16x8xf64>
}

// -----

// One comparison of the sum of a row shows whether the row is empty: whether the sum is 0 or, for
// empty_row(nan_to_zeros), whether it is 0 or NaN. empty_row(nan) needs no comparison.
// CHECK-LABEL: @empty_rows
// CHECK: %[[ZEROS:.*]] = arith.divf %{{.*}}, %[[SUM:.*]] : f32
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[SUM]], %{{.*}} : f32
// CHECK: arith.select %[[EMPTY]], %{{.*}}, %[[ZEROS]] : f32
// CHECK: %[[GUARDED:.*]] = arith.divf %{{.*}}, %[[SUM:.*]] : f32
// CHECK: %[[BAD:.*]] = arith.cmpf ueq, %[[SUM]], %{{.*}} : f32
// CHECK: arith.select %[[BAD]], %{{.*}}, %[[GUARDED]] : f32
// CHECK: arith.divf
// CHECK-NEXT: linalg.yield
func.func @empty_rows(%q: tensor<1x1x16x8xf32>, %k: tensor<1x1x9x8xf32>, %v: tensor<1x1x9x8xf32>)
    -> (tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>) attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v
    : (tensor<1x1x16x8xf32>, tensor<1x1x9x8xf32>, tensor<1x1x9x8xf32>) -> tensor<1x1x16x8xf32>
  %1 = heddle.attention %q, %k, %v empty_row(nan_to_zeros)
    : (tensor<1x1x16x8xf32>, tensor<1x1x9x8xf32>, tensor<1x1x9x8xf32>) -> tensor<1x1x16x8xf32>
  %2 = heddle.attention %q, %k, %v empty_row(nan)
    : (tensor<1x1x16x8xf32>, tensor<1x1x9x8xf32>, tensor<1x1x9x8xf32>) -> tensor<1x1x16x8xf32>
  return %0, %1, %2 : tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>
}

// -----

// A masked score that is the lowest finite number stays finite in units of log(2). A softcap uses these units; the
// scale that is applied before the softcap does not.
// CHECK-LABEL: @units
// CHECK: arith.constant -3.40282347E+38 : f32
// CHECK: arith.constant 0.353553{{.*}} : f32
// CHECK: math.tanh
// CHECK: arith.constant 2.885390{{.*}} : f32
func.func @units(%q: tensor<1x1x16x8xf32>, %k: tensor<1x1x9x8xf32>, %v: tensor<1x1x9x8xf32>, %mask: tensor<16x9xi1>)
    -> (tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>) attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v mask(%mask) masked_score(-3.4028234663852886e+38)
    : (tensor<1x1x16x8xf32>, tensor<1x1x9x8xf32>, tensor<1x1x9x8xf32>, tensor<16x9xi1>) -> tensor<1x1x16x8xf32>
  %1 = heddle.attention %q, %k, %v softcap(2.0)
    : (tensor<1x1x16x8xf32>, tensor<1x1x9x8xf32>, tensor<1x1x9x8xf32>) -> tensor<1x1x16x8xf32>
  return %0, %1 : tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>
}

// -----

// 67 queries are cut into a block of 64 and a block of 3. Each block has a loop over tasks of its own.
// CHECK-LABEL: @rest
// CHECK: %[[FIRST:.*]] = scf.forall {{.*}} in (1, 1, 1)
// CHECK: tensor.parallel_insert_slice {{.*}} tensor<64x8xf32>
// CHECK: scf.forall {{.*}} shared_outs(%{{.*}} = %[[FIRST]])
// CHECK: tensor.parallel_insert_slice {{.*}} tensor<3x8xf32>
func.func @rest(%q: tensor<1x1x67x8xf32>, %k: tensor<1x1x9x8xf32>, %v: tensor<1x1x9x8xf32>) -> tensor<1x1x67x8xf32>
    attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v
    : (tensor<1x1x67x8xf32>, tensor<1x1x9x8xf32>, tensor<1x1x9x8xf32>) -> tensor<1x1x67x8xf32>
  return %0 : tensor<1x1x67x8xf32>
}

// -----

// Blocks of keys beyond the diagonal are not read. Only a block on the diagonal compares positions of queries and keys.
// CHECK-LABEL: @causal
// CHECK: %[[END:.*]] = arith.ceildivui
// CHECK: %[[LAST:.*]] = arith.minsi %[[END]]
// CHECK: scf.for {{.*}} to %[[LAST]]
// CHECK: scf.if
// CHECK: linalg.index 0
func.func @causal(%q: tensor<1x1x256x8xf32>, %k: tensor<1x1x266x8xf32>, %v: tensor<1x1x266x8xf32>) -> tensor<1x1x256x8xf32>
    attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v causal(lower_right)
    : (tensor<1x1x256x8xf32>, tensor<1x1x266x8xf32>, tensor<1x1x266x8xf32>) -> tensor<1x1x256x8xf32>
  return %0 : tensor<1x1x256x8xf32>
}

// -----

// If the diagonal goes from corner to corner of a block, the block is not part of the loop but is computed after it, in
// steps of 16 keys. Only the squares of 16 x 16 on the diagonal compare positions. Even if block_q is 48, blocks have
// 64 queries, since the diagonal rarely meets the corners of blocks of 48.
// CORNER-LABEL: @diagonal
// CORNER: scf.for {{.*}} -> (tensor<64xf32>, tensor<64xf32>, tensor<8x64xf32>, tensor<64x64xf32>)
// CHECK-LABEL: @diagonal
// CHECK: scf.for {{.*}} -> (tensor<64xf32>, tensor<64xf32>, tensor<8x64xf32>, tensor<64x64xf32>)
// CHECK-NOT: linalg.index
// CHECK: scf.yield
// CHECK: tensor.extract_slice {{.*}}[0, 0] [16, 64] [1, 1] : tensor<64x64xf32>
// CHECK: tensor.extract_slice {{.*}}[0, 0] [16, 16]
// CHECK: linalg.index 0
// CHECK: tensor.extract_slice {{.*}}[48, 48] [16, 16] [1, 1] : tensor<64x64xf32>
func.func @diagonal(%q: tensor<1x1x256x8xf32>, %k: tensor<1x1x256x8xf32>, %v: tensor<1x1x256x8xf32>) -> tensor<1x1x256x8xf32>
    attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v causal(upper_left)
    : (tensor<1x1x256x8xf32>, tensor<1x1x256x8xf32>, tensor<1x1x256x8xf32>) -> tensor<1x1x256x8xf32>
  return %0 : tensor<1x1x256x8xf32>
}

// -----

// A mask that is computed from bytes is read as bytes, indexed by (query, key).
// CHECK-LABEL: @mask
// CHECK-NOT: linalg.generic
// CHECK: scf.forall
// CHECK: tensor.extract_slice %arg3[%{{.*}}, 0] [48, 20] [1, 1] : tensor<96x20xi8>
// CHECK: arith.cmpi ne, {{.*}} : i8
// CHECK: arith.select {{.*}} : f32
func.func @mask(%q: tensor<1x1x96x8xf32>, %k: tensor<1x1x20x8xf32>, %v: tensor<1x1x20x8xf32>,
                %bytes: tensor<96x20xi8>) -> tensor<1x1x96x8xf32> attributes {heddle.kernel} {
  %none = arith.constant dense<0> : tensor<96x20xi8>
  %mask = arith.cmpi ne, %bytes, %none : tensor<96x20xi8>
  %0 = heddle.attention %q, %k, %v mask(%mask) masked_score(-1.0e9)
    : (tensor<1x1x96x8xf32>, tensor<1x1x20x8xf32>, tensor<1x1x20x8xf32>, tensor<96x20xi1>) -> tensor<1x1x96x8xf32>
  return %0 : tensor<1x1x96x8xf32>
}

// -----

// In layout bshd, where the heads of a position lie side by side, the operands of a head are strided slices, not
// copies.
// CHECK-LABEL: @layouts
// CHECK: tensor.extract_slice %arg1[%{{.*}}, 0, %{{.*}}, 0] [1, 20, 1, 8] {{.*}} to tensor<20x8xf32>
// CHECK: tensor.parallel_insert_slice {{.*}} [1, 16, 1, 8]
func.func @layouts(%q: tensor<2x16x3x8xf32>, %k: tensor<2x20x3x8xf32>, %v: tensor<2x20x3x8xf32>) -> tensor<2x16x3x8xf32>
    attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x16x3x8xf32>, tensor<2x20x3x8xf32>, tensor<2x20x3x8xf32>) -> tensor<2x16x3x8xf32>
  return %0 : tensor<2x16x3x8xf32>
}
