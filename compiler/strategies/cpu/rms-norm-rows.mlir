// RUN: heddle-opt %source/tests/strategies/Inputs/rms-norm.mlir --heddle-tile=strategy=rms_norm=%s --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/rms-norm.mlir --heddle-tile=strategy=rms_norm=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE

// Computes RMS norm of several rows at a time: the additions of one row depend on each other, but the CPU can execute
// additions of other rows meanwhile. Each row is read from memory once. Four rows suffice to hide the latency of the
// additions, and their sums fit into the 16 registers of AVX2. (With AVX2, tiles of four rows are 5% faster than tiles
// of eight; with AVX-512, there is no difference.)
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "rms_norm", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.rms_norm"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The number of rows that are computed together.
    %rows = transform.tune.knob<"rows"> = 4 from options = [1, 2, 4, 8] -> !transform.param<i64>
    // The size of register tiles for contractions around the layer: columns of a panel, and accumulators of `lanes`
    // elements.
    %panel = transform.tune.knob<"panel"> = 16 from options = [16, 32, 48, 64]
      {defaults = [{vector_bits = 512, value = 48}]} -> !transform.param<i64>
    %registers = transform.tune.knob<"registers"> = 6 from options = [2, 6, 12, 24, 28]
      {defaults = [{vector_bits = 512, value = 24}]} -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %norm = transform.structured.match ops{["heddle.rms_norm"]} in %func : (!transform.any_op) -> !transform.any_op
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
