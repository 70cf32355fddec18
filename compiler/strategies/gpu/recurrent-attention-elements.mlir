// RUN: heddle-opt %source/tests/strategies/Inputs/recurrent-attention.mlir --heddle-tile="target=gpu strategy=recurrent_attention=%s" --heddle-vectorize | FileCheck %s

// Recurrent attention. Each workgroup computes a group of columns of one head's state and keeps them in workgroup
// memory. A loop over the positions updates these columns, with a thread for each element.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "recurrent_attention", target = "gpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.recurrent_attention"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    // The workgroup memory in KiB that a workgroup may use. A quarter of it (`%state`) is the maximum size of the
    // columns of the state that the workgroup updates.
    %workgroup = transform.tune.knob<"workgroup_kib"> = 32 from options = [16, 32] -> !transform.param<i64>
    %state = transform.heddle.share 1 of 4 in %workgroup
    %op = transform.structured.match ops{["heddle.recurrent_attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_recurrent_attention %op state_kib(%state) : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    // The lowered code computes scalars, so there is nothing to vectorize.
    transform.yield
  }
}

// CHECK: scf.forall
// CHECK: scf.for
// CHECK: scf.forall
// CHECK-NOT: linalg.
