// RUN: heddle-opt %source/tests/strategies/Inputs/attention.mlir --heddle-tile="target=gpu strategy=attention=%s" --heddle-vectorize | FileCheck %s

// A workgroup computes a block of queries of one head and loops over blocks of keys. Tiles of scores, running maxima
// and sums lie in workgroup memory. Each thread computes tiles of scores, each for one or more keys and four queries,
// and keeps its part of the result in registers. The threads together load keys into workgroup memory. Each thread
// loads the elements of the values (v) that it multiplies, and adjacent threads load adjacent elements.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "gpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup.
    %threads = transform.tune.knob<"threads"> = 64 from options = [64, 128] -> !transform.param<i64>
    // The number of queries of a block is a multiple of `lanes`. A block that the diagonal of the causal mask crosses
    // is computed as a whole (`whole` below), not in steps of `lanes` keys, because the steps would need many more
    // barriers.
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The maximum numbers of queries and of keys in a block.
    %q = transform.tune.knob<"block_q"> = 16 from options = [16, 32] -> !transform.param<i64>
    %k = transform.tune.knob<"block_k"> = 32 from options = [32, 64] -> !transform.param<i64>
    // The workgroup memory in KiB that a workgroup may use. An eighth of it (`%query`) is the maximum size of a block
    // of queries, and three sixteenths of it (`%score`) are the maximum size of the block's scores.
    %workgroup = transform.tune.knob<"workgroup_kib"> = 32 from options = [16, 32] -> !transform.param<i64>
    %query = transform.heddle.share 1 of 8 in %workgroup
    %score = transform.heddle.share 3 of 16 in %workgroup
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention %op lanes(%lanes) block_q(%q) block_k(%k) whole
        query_kib(%query) score_kib(%score) : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) wide : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in gpu.mlir
}

// CHECK: scf.forall ({{.*}}) in (1, 2, 8)
// Each thread loads keys in accesses of 128 bits, and computes the scores of one key with four queries.
// CHECK: scf.for
// CHECK: scf.forall ({{.*}}) in (24, 2)
// CHECK: vector.transfer_read {{.*}} : tensor<24x8xf32>, vector<4xf32>
// CHECK: vector.fma {{.*}} : vector<4xf32>
// CHECK: heddle.exp2_nonpositive {{.*}} : vector<4xf32>
// CHECK: mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]
// CHECK-NOT: linalg.
