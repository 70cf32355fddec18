// RUN: heddle-opt %source/tests/strategies/Inputs/attention.mlir --heddle-tile="target=gpu strategy=attention=%s" --heddle-vectorize | FileCheck %s

// Attention by tiles with places: a workgroup computes a block of queries of one head and loops over blocks of keys,
// with an online softmax. Queries, keys and values lie in workgroup memory, and scores and sums in registers, spread
// over the lanes of all warps. The pass heddle-tiles-to-lanes decides later what each lane does.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "gpu", features = [], priority = 12}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    // The knobs that determine whether a block fits into the registers, the threads and the workgroup memory, or can be
    // made smaller until it does.
    %q = transform.tune.knob<"block_q"> = 128 from options = [64, 128] -> !transform.param<i64>
    %k = transform.tune.knob<"block_k"> = 32 from options = [32, 64] -> !transform.param<i64>
    %warps = transform.tune.knob<"warps"> = 4 from options = [2, 4] -> !transform.param<i64>
    %stages = transform.tune.knob<"stages"> = 2 from options = [1, 2, 3] -> !transform.param<i64>
    %most = transform.tune.knob<"workgroup_threads"> = 256 from options = [64, 128, 256] -> !transform.param<i64>
    %kib = transform.tune.knob<"tile_kib"> = 96 from options = [14, 28, 48, 96] -> !transform.param<i64>
    transform.heddle.match_attention_tiles %op kinds([#heddle.fma<f32>]) block(%q x %k) warps(%warps)
        stages(%stages) threads(%most) kib(%kib) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup, for operations other than attention.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    // The maximum number of queries of a workgroup, the number of keys in a step, and the number of warps.
    %q = transform.tune.knob<"block_q"> = 128 from options = [64, 128] -> !transform.param<i64>
    %k = transform.tune.knob<"block_k"> = 32 from options = [32, 64] -> !transform.param<i64>
    %warps = transform.tune.knob<"warps"> = 4 from options = [2, 4] -> !transform.param<i64>
    // The tiles of keys and of values have `stages` buffers: copies begin `stages` - 1 steps before they are used.
    %stages = transform.tune.knob<"stages"> = 2 from options = [1, 2, 3] -> !transform.param<i64>
    // The maximum number of threads that the strategy may give to a workgroup. It must not exceed the device's limit.
    %most = transform.tune.knob<"workgroup_threads"> = 256 from options = [64, 128, 256] -> !transform.param<i64>
    // The maximum size of the tiles in workgroup memory in KiB.
    %kib = transform.tune.knob<"tile_kib"> = 96 from options = [14, 28, 48, 96] -> !transform.param<i64>
    // The number of workgroups that fill a device: about one for each multiprocessor of a large device.
    %blocks = transform.tune.knob<"min_blocks"> = 128 from options = [32, 64, 128, 256] -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention_tiles %op kinds([#heddle.fma<f32>]) block(%q x %k) warps(%warps) stages(%stages)
        threads(%most) kib(%kib) blocks(%blocks) : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in gpu.mlir
}

// There are 2 heads, each with 2 blocks of 64 queries, and 70 keys in blocks of 32.
// CHECK: scf.forall ({{.*}}) in (1, 2, 2)
// CHECK: heddle.tile_copy {{.*}} into {{.*}} -> tensor<64x8xf32>
// CHECK: bufferization.alloc_tensor() {memory_space = #heddle.fragments<#heddle.fma<f32>, 4 x 1>} : tensor<64x32xf32>
// CHECK: scf.for
// The last block has fewer keys than its tile has rows; missing keys are zeros in the tile.
// CHECK: heddle.tile_copy {{.*}} valid({{.*}}) into {{.*}} -> tensor<32x8xf32>
// CHECK: linalg.matmul indexing_maps
// CHECK: heddle.tile_copy {{.*}} valid({{.*}}) into {{.*}} -> tensor<32x32xf32>
// CHECK: arith.maxnumf
// An upper bound of a query's scores in a step (AttentionScore::emitBound) is computed from the largest score and its
// absolute value. If all keys of the step are removed, the largest score is -inf. The bound is then -inf, too: without
// minnumf, it would be NaN.
// CHECK: math.absf
// CHECK-NEXT: arith.minnumf
// CHECK: heddle.exp2_nonpositive
// CHECK: linalg.matmul ins
// CHECK: mapping = [#gpu.block<linear_dim_2>, #gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]
// Results that are not finite are computed again: a loop over the keys adds the weighted values to all elements of a
// row, and adds up the weights.
// CHECK: scf.forall
// CHECK: scf.if
// CHECK: scf.for {{.*}} -> (tensor<1x4xf32>, f32)
