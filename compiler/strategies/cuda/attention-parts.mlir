// RUN: heddle-opt %source/tests/strategies/Inputs/attention-rows.mlir --heddle-tile="target=cuda strategy=attention=%s" --heddle-vectorize | FileCheck %s

// Attention with few queries, by tiles with places: the keys of a head are divided into parts. Each workgroup computes
// one part, and a second launch joins the results (flash-decoding). Heads that share a key head are computed together.
// Otherwise, this strategy is like attention-tiles.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "cuda", features = [], priority = 22}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    // The knobs that determine whether a workgroup can compute the queries of a head.
    %k = transform.tune.knob<"block_k"> = 32 from options = [32, 64] -> !transform.param<i64>
    %stages = transform.tune.knob<"stages"> = 2 from options = [1, 2, 3] -> !transform.param<i64>
    %most = transform.tune.knob<"workgroup_threads"> = 256 from options = [64, 128, 256] -> !transform.param<i64>
    %kib = transform.tune.knob<"tile_kib"> = 96 from options = [48, 96] -> !transform.param<i64>
    transform.heddle.match_attention_parts %op kinds([#heddle.fma<f32>]) at_most(16) keys(%k) stages(%stages)
        threads(%most) kib(%kib) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup, for operations other than attention.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    // The number of keys in a step.
    %k = transform.tune.knob<"block_k"> = 32 from options = [32, 64] -> !transform.param<i64>
    // The tiles of keys and of values have `stages` buffers: copies begin `stages` - 1 steps before they are used.
    %stages = transform.tune.knob<"stages"> = 2 from options = [1, 2, 3] -> !transform.param<i64>
    // The maximum number of threads in a workgroup of the device.
    %most = transform.tune.knob<"workgroup_threads"> = 256 from options = [64, 128, 256] -> !transform.param<i64>
    // The maximum size of the tiles in workgroup memory in KiB. All supported devices allow 99 KiB.
    %kib = transform.tune.knob<"tile_kib"> = 96 from options = [48, 96] -> !transform.param<i64>
    // The number of workgroups that fill a device: about two for each multiprocessor of a large device. With 1, keys are
    // not divided.
    %blocks = transform.tune.knob<"min_blocks"> = 264 from options = [1, 66, 132, 264, 528] -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention_parts %op kinds([#heddle.fma<f32>]) keys(%k) stages(%stages) threads(%most) kib(%kib)
        blocks(%blocks) : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in gpu.mlir
}

// Two heads share a key head. Their 2 queries each are rows of one tile. There are 70 keys in 3 parts of at most 32.
// CHECK: scf.forall ({{.*}}) in (1, 2, 3)
// CHECK: heddle.tile_copy {{.*}} valid({{.*}}) into {{.*}} : tensor<8x8xf32>, tensor<16x8xf32>
// CHECK: scf.for
// CHECK: linalg.matmul indexing_maps
// CHECK: linalg.matmul ins
// For each of 4 rows, each part writes the largest score, the sum of the weights and the sum of the weighted values.
// CHECK: tensor.parallel_insert_slice {{.*}} : tensor<4xf32> into tensor<24xf32>
// CHECK: tensor.parallel_insert_slice {{.*}} : tensor<4xf32> into tensor<24xf32>
// CHECK: tensor.parallel_insert_slice {{.*}} : tensor<4x4xf32> into tensor<24x4xf32>
// A workgroup joins the parts of a query, with a thread for each element of the result.
// CHECK: scf.forall ({{.*}}) in (1, 4, 2)
// CHECK: scf.forall ({{.*}}) in (4)
