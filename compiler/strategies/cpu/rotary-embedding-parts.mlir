// RUN: heddle-opt %source/tests/strategies/Inputs/rotary-embedding.mlir --heddle-tile=strategy=rotary_embedding=%s --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/rotary-embedding.mlir --heddle-tile=strategy=rotary_embedding=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE

// Rotary embedding is decomposed into elementwise operations on the two halves of a head (or on its interleaved pairs).
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "rotary_embedding", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.rotary_embedding"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The size of register tiles for contractions around the layer: columns of a panel, and accumulators of `lanes`
    // elements.
    %panel = transform.tune.knob<"panel"> = 16 from options = [16, 32, 48, 64]
      {defaults = [{vector_bits = 512, value = 48}]} -> !transform.param<i64>
    %registers = transform.tune.knob<"registers"> = 6 from options = [2, 6, 12, 24, 28]
      {defaults = [{vector_bits = 512, value = 24}]} -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %rotary = transform.structured.match ops{["heddle.rotary_embedding"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.decompose_rotary %rotary : !transform.any_op
    // The rest of the kernel: layout changes and elementwise operations around the layer.
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in cpu.mlir
}

// The two halves of 16 elements are rotated, and the other 7 elements are copied.
// CHECK: arith.subf {{.*}} vector<16xf32>
// CHECK: vector.fma
// CHECK: vector.constant_mask [7]
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.alloc
// INPLACE-NOT: memref.copy
