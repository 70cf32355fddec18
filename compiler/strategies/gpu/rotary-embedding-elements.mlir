// RUN: heddle-opt %source/tests/strategies/Inputs/rotary-embedding.mlir --heddle-tile="target=gpu strategy=rotary_embedding=%s" --heddle-vectorize | FileCheck %s

// Rotary embedding with a thread for each element.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "rotary_embedding", target = "gpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.rotary_embedding"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %rotary = transform.structured.match ops{["heddle.rotary_embedding"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.decompose_rotary %rotary : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    // The lowered code computes scalars, so there is nothing to vectorize.
    transform.yield
  }
}

// CHECK: scf.forall
// CHECK: arith.mulf
// CHECK-NOT: linalg.
