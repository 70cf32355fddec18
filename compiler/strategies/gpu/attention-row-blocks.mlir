// RUN: heddle-opt %source/tests/strategies/Inputs/attention-rows.mlir --heddle-tile="target=gpu strategy=attention=%s" --heddle-vectorize | FileCheck %s

// Attention with few queries: a workgroup computes all queries of a head, or of all heads that share a key head if
// these have at most 8 queries together. Its threads divide the keys among themselves.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "gpu", features = [], priority = 20}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    // The workgroup memory in KiB that a workgroup may use. Half of it (`%score`) is the maximum size of stored scores.
    %workgroup = transform.tune.knob<"workgroup_kib"> = 32 from options = [16, 32] -> !transform.param<i64>
    %score = transform.heddle.share 1 of 2 in %workgroup
    transform.heddle.match_queries %op at_most(8) score_kib(%score) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The maximum number of queries of a workgroup. The queries of a workgroup are one block.
    %all = transform.param.constant 8 : i64 -> !transform.param<i64>
    // The maximum number of keys in a block.
    %k = transform.tune.knob<"block_k"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention %op lanes(%lanes) block_q(%all) block_k(%k) in_rows whole : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) wide : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in gpu.mlir
}

// CHECK: scf.forall
// CHECK: vector.fma {{.*}} : vector<4xf32>
// CHECK: heddle.exp2_nonpositive
// CHECK-NOT: linalg.
