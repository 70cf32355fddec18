// RUN: heddle-opt %source/tests/strategies/Inputs/softmax.mlir --heddle-tile=strategy=softmax=%s:rows=4 --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/softmax.mlir --heddle-tile=strategy=softmax=%s:rows=4 --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE

// A softmax along the last dimension computes several rows at a time. A softmax along another dimension computes whole
// vectors, whose lanes lie along the later dimensions.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "softmax", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["linalg.softmax"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The number of rows that are computed together.
    %rows = transform.tune.knob<"rows"> = 8 from options = [1, 2, 4, 8] -> !transform.param<i64>
    // The size of register tiles for contractions around the layer: columns of a panel, and accumulators of `lanes`
    // elements.
    %panel = transform.tune.knob<"panel"> = 16 from options = [16, 32, 48, 64]
      {defaults = [{vector_bits = 512, value = 48}]} -> !transform.param<i64>
    %registers = transform.tune.knob<"registers"> = 6 from options = [2, 6, 12, 24, 28]
      {defaults = [{vector_bits = 512, value = 24}]} -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_softmax %softmax rows(%rows) : !transform.any_op
    // The rest of the kernel: layout changes and elementwise operations around the layer.
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in cpu.mlir
}

// The maximum of each of four rows is folded from 16 lanes to one.
// CHECK-COUNT-4: vector.shuffle {{.*}} : vector<2xf32>, vector<2xf32>
// CHECK: heddle.exp_nonpositive
// CHECK: vector.reduction <add>
// CHECK: arith.divf {{.*}} : f32
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.alloc
// INPLACE-NOT: memref.copy
