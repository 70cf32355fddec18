// RUN: heddle-opt %source/tests/strategies/Inputs/append.mlir --heddle-tile=strategy=append=%s --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/append.mlir --heddle-tile=strategy=append=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE

// Writes new rows to a state (a tensor that a model keeps between calls), with a task for each head of each batch
// entry. Other rows are neither read nor written, unless the kernel may not write to the state. In this case, the whole
// state is copied.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "append", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.append"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["heddle.append"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_append %op : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in cpu.mlir
}

// CHECK: scf.forall
// CHECK: tensor.extract {{.*}} tensor<2xi64>
// CHECK: scf.for
// CHECK: vector.transfer_read {{.*}} vector<16xf32>
// CHECK: vector.transfer_write
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.alloc
// INPLACE-NOT: memref.copy
