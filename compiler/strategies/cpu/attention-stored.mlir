// RUN: heddle-opt %source/tests/strategies/Inputs/attention-weights.mlir \
// RUN:   --heddle-tile=strategy=attention=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse --canonicalize \
// RUN:   | FileCheck %s

// Attention that stores the scores of a block of queries with all keys. This strategy is eligible for every attention.
// It is the default if the attention probabilities are a result or a region changes them, because the strategies with a
// higher priority are then not eligible. (The only exception is attention-rows, a strategy for few queries.)
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "cpu", features = [], priority = 5}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The maximum number of queries in a block.
    %q = transform.tune.knob<"block_q"> = 32 from options = [16, 32, 48, 64] -> !transform.param<i64>
    // 1 if attention that rounds to bf16 multiplies pairs of bf16; 0 if it multiplies the rounded numbers in f32.
    %dots = transform.tune.knob<"bf16_dots"> = 0 from options = [0, 1] -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention %op lanes(%lanes) block_q(%q) stored bf16_dots(%dots) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize_blocks(!transform.any_op {transform.readonly}) // defined in cpu.mlir
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    transform.include @vectorize_blocks failures(propagate) (%func) : (!transform.any_op) -> ()
    transform.yield
  }
}

// A block contains the scores of 32 queries and 70 keys. Both results, the attention and its probabilities, are
// transposed when they are written.
// CHECK: scf.forall {{.*}} in (2, 4)
// CHECK: memref.alloc() {{.*}} : memref<70x32xf32>
// CHECK-NOT: memref.copy
// CHECK-NOT: linalg.
// CHECK: vector.transfer_write {{.*}} memref<32x4xf32
// CHECK: vector.transfer_write {{.*}} memref<32x70xf32
