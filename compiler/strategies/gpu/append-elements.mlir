// RUN: heddle-opt %source/tests/strategies/Inputs/append.mlir --heddle-tile="target=gpu strategy=append=%s" --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/append.mlir --heddle-tile="target=gpu strategy=append=%s" --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE

// Writes new rows to a state (a tensor that a model keeps between calls), with a thread for each element. Other rows
// are neither read nor written, unless the kernel may not write to the state. In this case, the whole state is copied.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "append", target = "gpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.append"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["heddle.append"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_append %op elements : !transform.any_op
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    // The lowered code computes scalars, so there is nothing to vectorize.
    transform.yield
  }
}

// CHECK: scf.forall {{.*}} in (2, 3, 5, 39)
// CHECK: tensor.extract {{.*}} tensor<2xi64>
// CHECK: tensor.insert
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.alloc
// INPLACE-NOT: memref.copy
// INPLACE: memref.store
