// RUN: heddle-opt %source/tests/strategies/Inputs/attention-heads.mlir \
// RUN:   '--heddle-tile=%{avx512} strategy=attention=%s' --heddle-vectorize \
// RUN:   --eliminate-empty-tensors '--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map' --canonicalize --cse --canonicalize \
// RUN:   | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/attention-heads.mlir --heddle-tile=strategy=attention=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors '--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map' --canonicalize --cse --canonicalize \
// RUN:   | FileCheck %s --check-prefix=NARROW

// Attention with narrow heads: each lane of a vector belongs to the query of one head, and the queries of several
// positions share a vector if all their heads fit. Each task transposes the keys and values once. Attention
// probabilities stay in registers.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "cpu", features = [], priority = 30}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    // The number of lanes of a vector.
    %lanes = transform.tune.knob<"lanes"> = 8 from options = [8, 16]
      {defaults = [{vector_bits = 512, value = 16}]} -> !transform.param<i64>
    transform.heddle.match_head_lanes %op lanes(%lanes) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of lanes of a vector.
    %lanes = transform.tune.knob<"lanes"> = 8 from options = [8, 16]
      {defaults = [{vector_bits = 512, value = 16}]} -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention_heads %op lanes(%lanes) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize_blocks(!transform.any_op {transform.readonly}) // defined in cpu.mlir
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    transform.include @vectorize_blocks failures(propagate) (%func) : (!transform.any_op) -> ()
    transform.yield
  }
}

// The keys of seven heads are stored as 3 groups of eight numbers, one group for each element of a head. A group has a
// place for each head and one for padding, so that it has eight places even if `lanes` is 16.
// CHECK: scf.forall {{.*}} in (3)
// CHECK: memref.alloc() {{.*}} : memref<9x24xf32>
// CHECK: scf.for
// CHECK: vector.shuffle {{.*}} [0, 3, 6, 9, 12, 15, -1, -1, 1, 4, 7, 10, 13, -1, -1, -1]
// CHECK: memref.alloc() {{.*}} : memref<9x40xf32>
// Two vectors contain two queries each, and a third vector contains the last query.
// CHECK: memref.alloc() {{.*}} : memref<9x32xf32>
// CHECK: scf.for
// CHECK: vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]
// CHECK-COUNT-2: vector.fma
// CHECK: scf.for
// CHECK-COUNT-2: heddle.exp2_nonpositive
// CHECK-COUNT-10: vector.fma
// CHECK: loop_annotation
// CHECK: vector.reduction <or>
// CHECK: scf.if
// CHECK: memref.alloc() {{.*}} : memref<9x16xf32>
// CHECK-NOT: memref.copy
// With eight lanes, a vector holds one query.
// NARROW: memref.alloc() {{.*}} : memref<9x24xf32>
// NARROW: memref.alloc() {{.*}} : memref<9x16xf32>
// NARROW: scf.for
// NARROW-COUNT-2: heddle.exp2_nonpositive {{.*}} : vector<8xf32>
// NARROW-NOT: memref.copy
