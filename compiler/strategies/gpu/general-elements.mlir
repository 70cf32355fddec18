// RUN: heddle-opt %source/tests/strategies/Inputs/general.mlir --heddle-tile="target=gpu strategy=general=%s" --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/general.mlir --heddle-tile="target=gpu strategy=general=%s" --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE

// Elementwise operations, lookups, transpositions and reductions are fused and computed with a thread for each element.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "general", target = "gpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    // The strategy is eligible for every kernel without a layer, a softmax or a contraction.
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    // The lowered code computes scalars, so there is nothing to vectorize.
    transform.yield
  }
}

// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (
// CHECK: tensor.extract {{.*}} tensor<{{.*}}xi64>
// CHECK: arith.addf {{.*}} : f32
// CHECK: tensor.insert
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.alloc
// INPLACE-NOT: memref.copy
