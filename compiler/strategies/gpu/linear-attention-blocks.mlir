// RUN: heddle-opt %source/tests/strategies/Inputs/linear-attention.mlir --heddle-tile="target=gpu strategy=linear_attention=%s" --heddle-vectorize | FileCheck %s

// Linear attention with a workgroup for some columns of a head's result. A loop over blocks of keys sums the products
// f(key)^T value, where f is the feature map, in workgroup memory, with a thread for each element of the sum. The
// features f(key) of a block lie in workgroup memory, too.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "linear_attention", target = "gpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.linear_attention"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    // The divisors of a normalized result are computed from a matrix of `lanes` equal columns, each of which is the sum
    // of the features f(key) of all keys.
    %lanes = transform.param.constant 1 : i64 -> !transform.param<i64>
    // The workgroup memory in KiB that a task may use. A quarter of it (%block) is the maximum size of a task's
    // columns of the sum f(key)^T value, and also of a block of keys or queries.
    %workgroup = transform.tune.knob<"workgroup_kib"> = 32 from options = [16, 32] -> !transform.param<i64>
    %block = transform.heddle.share 1 of 4 in %workgroup
    %op = transform.structured.match ops{["heddle.linear_attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_linear_attention %op lanes(%lanes) block_kib(%block) : !transform.any_op
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
// CHECK-NOT: linalg.
