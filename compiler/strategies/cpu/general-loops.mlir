// RUN: heddle-opt %source/tests/strategies/Inputs/general.mlir --heddle-tile=strategy=general=%s --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/general.mlir --heddle-tile=strategy=general=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE

// Elementwise operations, lookups, transpositions and reductions are fused and cut into tasks along the outer
// dimensions. The innermost dimension lies in vectors.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "general", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {

    // The strategy is eligible for every kernel without a layer, a softmax or a contraction.
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
    // Lower all operations of the kernel, including layout changes.
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in cpu.mlir
}

// Rows are copied as vectors, the last of which is masked, and the addition is fused into the copy.
// CHECK: tensor.extract {{.*}} tensor<{{.*}}xi64>
// CHECK: vector.transfer_read {{.*}} tensor<100x39xf32>, vector<16xf32>
// CHECK: arith.addf
// CHECK: vector.transfer_write
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.alloc
// INPLACE-NOT: memref.copy
