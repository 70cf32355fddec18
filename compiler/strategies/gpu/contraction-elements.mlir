// RUN: heddle-opt %source/tests/strategies/Inputs/contraction.mlir --heddle-tile="target=gpu strategy=contraction=%s" --heddle-vectorize | FileCheck %s

// A contraction with a thread for each element of the result.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "contraction", target = "gpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    // The strategy is eligible for every kernel that computes a contraction but no layer and no softmax.
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
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
// CHECK: arith.mulf
// CHECK-NOT: linalg.
