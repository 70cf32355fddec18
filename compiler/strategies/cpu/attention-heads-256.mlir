// RUN: heddle-opt %source/tests/strategies/Inputs/attention-heads.mlir \
// RUN:   --heddle-tile=strategy=attention=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors '--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map' --canonicalize --cse --canonicalize \
// RUN:   | FileCheck %s

// As attention-heads, for 16 registers of 8 lanes.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "cpu", features = [], priority = 20}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    transform.heddle.match_head_lanes %op {lanes = 8 : i64} : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention_heads %op {lanes = 8 : i64} : !transform.any_op
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

// Seven heads of 3 elements become 3 vectors; one query is a vector.
// CHECK: memref.alloc() {{.*}} : memref<9x24xf32>
// CHECK: memref.alloc() {{.*}} : memref<9x16xf32>
// CHECK: scf.for
// CHECK-COUNT-2: heddle.exp2_nonpositive {{.*}} : vector<8xf32>
// CHECK-NOT: memref.copy
