// RUN: heddle-opt %source/tests/strategies/Inputs/layer-norm.mlir --heddle-tile="%{avx512} strategy=layer_norm=%s:rows=4" --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/layer-norm.mlir --heddle-tile="%{avx512} strategy=layer_norm=%s:rows=4" --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE
// RUN: heddle-opt %source/tests/strategies/Inputs/layer-norm.mlir --heddle-tile=strategy=layer_norm=%s --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/layer-norm.mlir --heddle-tile=strategy=layer_norm=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE

// Computes layer norm of several rows at a time: the additions of one row depend on each other, but the CPU can execute
// additions of other rows meanwhile. Each row is read from memory once.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "layer_norm", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.layer_norm"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The number of rows that are computed together. With 16 registers of 8 lanes, the sums and means of four rows stay
    // in registers. Tiles of eight rows take a third longer, since their sums and means do not fit into registers.
    %rows = transform.tune.knob<"rows"> = 4 from options = [1, 2, 4, 8]
      {defaults = [{vector_bits = 512, value = 8}]} -> !transform.param<i64>
    // The size of register tiles for contractions around the layer: columns of a panel, and accumulators of `lanes`
    // elements.
    %panel = transform.tune.knob<"panel"> = 16 from options = [16, 32, 48, 64]
      {defaults = [{vector_bits = 512, value = 48}]} -> !transform.param<i64>
    %registers = transform.tune.knob<"registers"> = 6 from options = [2, 6, 12, 24, 28]
      {defaults = [{vector_bits = 512, value = 24}]} -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %norm = transform.structured.match ops{["heddle.layer_norm"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_norm %norm rows(%rows) : !transform.any_op
    // The rest of the kernel: layout changes and elementwise operations around the layer.
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in cpu.mlir
}

// Four rows of 39 = 2 x 16 + 7 elements are computed together, then the fifth row.
// CHECK: vector.constant_mask [7]
// CHECK-COUNT-4: vector.reduction <add>
// CHECK: math.sqrt
// CHECK: vector.transfer_write {{.*}} tensor<4x39xf32>
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.alloc
// INPLACE-NOT: memref.copy
