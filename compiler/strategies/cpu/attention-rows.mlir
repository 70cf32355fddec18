// RUN: heddle-opt %source/tests/strategies/Inputs/attention-rows.mlir \
// RUN:   '--heddle-tile=%{avx512} strategy=attention=%s:block_k=64' --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse --canonicalize \
// RUN:   | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/attention-rows.mlir --heddle-tile=strategy=attention=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse --canonicalize \
// RUN:   | FileCheck %s --check-prefix=NARROW

// Attention with few queries: a score is a dot product along the head, and each lane of a vector contains the score of
// a key. If query heads share a key head and have few queries in total, one task computes all of them and reads the
// keys once. If the keys do not fit into one block, they are divided into parts. Each part consists of whole blocks and
// is a task.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "cpu", features = [], priority = 40}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    transform.heddle.match_queries %op at_most(8) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The maximum number of queries of a task. The queries of a task are one block.
    %all = transform.param.constant 8 : i64 -> !transform.param<i64>
    // The maximum number of keys in a block.
    %k = transform.tune.knob<"block_k"> = 512 from options = [64, 128, 256, 512, 1024, 4096] -> !transform.param<i64>
    // The level of the cache into which the keys and values of a state are prefetched.
    %cache = transform.tune.knob<"past_cache"> = 1 from options = [1, 2, 3] -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention %op lanes(%lanes) block_q(%all) block_k(%k) in_rows in_parts past_cache(%cache)
      : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize_blocks(!transform.any_op {transform.readonly}) // defined in cpu.mlir
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    transform.include @vectorize_blocks failures(propagate) (%func) : (!transform.any_op) -> ()
    transform.yield
  }
}

// Two query heads share a key head. Two blocks of 35 keys are separate tasks, and a second loop over tasks joins their
// results. No result is copied.
// CHECK: memref.alloc() {{.*}} : memref<1x2x2x4x4xf32>
// CHECK: scf.forall {{.*}} in (2, 2)
// CHECK: memref.alloc() {{.*}} : memref<4x35xf32>
// CHECK: vector.shuffle
// CHECK: heddle.exp2_nonpositive {{.*}} : vector<16xf32>
// CHECK: vector.fma {{.*}} : vector<4xf32>
// CHECK: scf.forall {{.*}} in (2)
// CHECK: scf.for
// CHECK: heddle.exp2_nonpositive
// CHECK-NOT: memref.copy
// CHECK-NOT: linalg.
// All 70 keys are one block. The scores of eight keys are computed together.
// NARROW: memref.alloc() {{.*}} : memref<4x70xf32>
// NARROW-COUNT-8: vector.transfer_read {{.*}} vector<8xf32>
// NARROW: vector.shuffle {{.*}} : vector<8xf32>, vector<8xf32>
// NARROW: heddle.exp2_nonpositive {{.*}} : vector<16xf32>
// NARROW-NOT: memref.copy
// NARROW-NOT: linalg.
