// RUN: heddle-opt %source/tests/strategies/Inputs/layer-norm.mlir --heddle-tile="target=gpu strategy=layer_norm=%s" --heddle-vectorize | FileCheck %s

// Layer norm with a workgroup for one row or for a few rows. The threads of the workgroup compute the sums of the rows
// together.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "layer_norm", target = "gpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.layer_norm"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    // The maximum number of rows that a workgroup computes.
    %rows = transform.tune.knob<"rows"> = 1 from options = [1, 2, 4] -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %norm = transform.structured.match ops{["heddle.layer_norm"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_norm %norm rows(%rows) apart : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    // The lowered code computes scalars, so there is nothing to vectorize.
    transform.yield
  }
}

// CHECK: scf.forall (%{{.*}}) in (
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (
// CHECK: arith.addf
// CHECK: math.sqrt
// CHECK-NOT: linalg.
