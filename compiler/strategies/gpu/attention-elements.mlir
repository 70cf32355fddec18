// RUN: heddle-opt %source/tests/strategies/Inputs/attention.mlir --heddle-tile="target=gpu strategy=attention=%s" --heddle-vectorize | FileCheck %s

// A workgroup computes a block of queries of one head and loops over blocks of keys. Tiles of scores, running maxima
// and sums lie in workgroup memory, and the threads divide the elements of the tiles among themselves. Scores are never
// written to global memory. Of all strategies for attention on GPUs, this strategy generates the least code.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "gpu", features = [], priority = 5}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    // The number of queries of a block is a multiple of `lanes`.
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The maximum numbers of queries and of keys in a block.
    %q = transform.tune.knob<"block_q"> = 16 from options = [16, 32] -> !transform.param<i64>
    %k = transform.tune.knob<"block_k"> = 32 from options = [32, 64] -> !transform.param<i64>
    // The workgroup memory in KiB that a workgroup may use. An eighth of it (`%query`) is the maximum size of a block
    // of queries, and half of it (`%score`) is the maximum size of the block's scores.
    %workgroup = transform.tune.knob<"workgroup_kib"> = 32 from options = [16, 32] -> !transform.param<i64>
    %query = transform.heddle.share 1 of 8 in %workgroup
    %score = transform.heddle.share 1 of 2 in %workgroup
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention %op lanes(%lanes) block_q(%q) block_k(%k)
        query_kib(%query) score_kib(%score) : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    // The lowered code computes scalars, so there is nothing to vectorize.
    transform.yield
  }
}

// CHECK: scf.forall
// CHECK: scf.forall
// CHECK: heddle.exp2_nonpositive
// CHECK-NOT: linalg.
