// RUN: heddle-opt %source/tests/strategies/Inputs/contraction.mlir --heddle-tile="%{avx512} strategy=contraction=%s" --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/contraction.mlir --heddle-tile="%{avx512} strategy=contraction=%s" --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE
// RUN: heddle-opt %source/tests/strategies/Inputs/contraction.mlir --heddle-tile=strategy=contraction=%s --heddle-vectorize | FileCheck %s --check-prefix=NARROW

// A contraction that is not part of a layer is computed in register tiles over panels of columns. Columns are copied
// into contiguous panels if many rows use them.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "contraction", target = "cpu", features = [], priority = 20}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {

    // The strategy is eligible for every kernel that computes a contraction but no layer and no softmax.
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The number of columns of a panel, and of a register tile.
    %panel = transform.tune.knob<"panel"> = 16 from options = [16, 32, 48, 64]
      {defaults = [{vector_bits = 512, value = 48}]} -> !transform.param<i64>
    // The number of accumulators of `lanes` elements in a register tile.
    %registers = transform.tune.knob<"registers"> = 6 from options = [2, 6, 12, 24, 28]
      {defaults = [{vector_bits = 512, value = 24}]} -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    // Lower the contraction, and layout changes and elementwise operations of the kernel.
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in cpu.mlir
}

// There is a task for each batch entry and head. 39 x 48 elements of the right operand are transposed and packed.
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (2, 3)
// CHECK-COUNT-64: vector.shuffle
// CHECK: scf.for {{.*}} -> (vector<16xf32>
// CHECK: vector.fma
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.copy
// NARROW-COUNT-64: vector.shuffle
// NARROW: scf.for {{.*}} -> (vector<16xf32>
// NARROW-NOT: linalg.
