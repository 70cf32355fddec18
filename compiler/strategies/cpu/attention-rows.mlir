// RUN: heddle-opt %source/tests/strategies/Inputs/attention-rows.mlir \
// RUN:   --heddle-tile=strategy=attention=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse --canonicalize \
// RUN:   | FileCheck %s

// Attention of few queries: keys are turned into vector lanes, queries are scalars.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "cpu", features = [], priority = 30}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    transform.heddle.match_queries %op at_most(8) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %all = transform.param.constant 8 : i64 -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention %op block_q(%all) in_rows : !transform.any_op, !transform.param<i64>
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    transform.heddle.vectorize_lanes %func {registers = 16 : i64} : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}

// 70 keys lie in five chunks of 16 lanes; no result is copied.
// CHECK: scf.forall
// CHECK: memref.alloc() {{.*}} : memref<2x80xf32>
// CHECK: vector.shuffle
// CHECK: vector.fma
// CHECK: memref.expand_shape {{.*}} : memref<2x80xf32> into memref<2x5x16xf32>
// CHECK: math.exp {{.*}} : vector<16xf32>
// CHECK: vector.fma {{.*}} : vector<4xf32>
// CHECK-NOT: memref.copy
// CHECK-NOT: linalg.
