// RUN: heddle-opt %source/tests/strategies/Inputs/attention-rows.mlir \
// RUN:   --heddle-tile=strategy=attention=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse --canonicalize \
// RUN:   | FileCheck %s

// As attention-rows, for 16 registers of 8 lanes.
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
    %k = transform.tune.knob<"block_k"> = 512 from options = [64, 128, 256, 512, 1024, 4096] -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention %op block_q(%all) block_k(%k) in_rows : !transform.any_op, !transform.param<i64>, !transform.param<i64>
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

// All 70 keys in one block, eight side by side.
// CHECK: memref.alloc() {{.*}} : memref<4x70xf32>
// CHECK-COUNT-8: vector.transfer_read {{.*}} vector<8xf32>
// CHECK: vector.shuffle {{.*}} : vector<8xf32>, vector<8xf32>
// CHECK: heddle.exp2_nonpositive {{.*}} : vector<16xf32>
// CHECK-NOT: memref.copy
// CHECK-NOT: linalg.
