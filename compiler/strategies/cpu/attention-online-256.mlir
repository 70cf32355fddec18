// RUN: heddle-opt %source/tests/strategies/Inputs/attention.mlir \
// RUN:   --heddle-tile=strategy=attention=%s:block_k=32 --heddle-vectorize | FileCheck %s

// As attention-online, for 16 registers of 8 lanes: a vector of 16 elements takes two,
// and 6 keys by 16 queries stay in registers. More queries share what is loaded of keys: 48 by 192
// against 32 by 128 takes 0.8 to 1.0 of the time from 128 to 1000 tokens.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    transform.heddle.match_attribute %op "with_weights" present(false)
      else "stores no softmax weights, which are a result here" : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %q = transform.tune.knob<"block_q"> = 48 from options = [16, 32, 48, 64] -> !transform.param<i64>
    %k = transform.tune.knob<"block_k"> = 192 from options = [32, 64, 96, 128, 192, 256] -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention %op block_q(%q) block_k(%k)
      : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.vectorize %func lanes(%lanes) blocks {registers = 8 : i64} : !transform.any_op, !transform.param<i64>
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}

// CHECK: scf.forall {{.*}} in (2, 4)
// CHECK: scf.for {{.*}} -> (tensor<32xf32>, tensor<32xf32>, tensor<4x32xf32>, tensor<24x32xf32>)
// CHECK: scf.for {{.*}} -> (tensor<24x32xf32>, tensor<32xf32>)
// CHECK: scf.for {{.*}} -> (tensor<24x32xf32>, tensor<32xf32>)
// CHECK: scf.for
// CHECK-COUNT-6: vector.fma
// CHECK-NEXT: scf.yield
// CHECK-NOT: linalg.
