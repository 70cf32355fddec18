// RUN: heddle-opt %source/tests/strategies/Inputs/ffn.mlir --heddle-tile="target=gpu strategy=ffn=%s" --heddle-vectorize | FileCheck %s

// Two linear layers around a hidden tensor.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "ffn", target = "gpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.ffn"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %panel = transform.tune.knob<"panel"> = 64 from options = [32, 64] -> !transform.param<i64>
    %registers = transform.tune.knob<"registers"> = 24 from options = [6, 24] -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %ahead = transform.param.constant 0 : i64 -> !transform.param<i64>
    %least = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %ffn = transform.structured.match ops{["heddle.ffn"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.decompose_ffn %ffn : !transform.any_op
    transform.heddle.generalize %func : !transform.any_op
    %linear = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.pack_weight %linear panel(%panel) : !transform.any_op
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %ahead, %least, %cache)
        : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}

// CHECK: scf.forall
// CHECK-NOT: heddle.linear
// CHECK-NOT: linalg.
