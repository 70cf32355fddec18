// RUN: heddle-opt %source/tests/strategies/Inputs/linear-attention.mlir --heddle-tile=strategy=linear_attention=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse --canonicalize | FileCheck %s

// Linear attention: the product f(key)^T value of a head, where f is the feature map, is a small matrix, which stays in
// the cache.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "linear_attention", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.linear_attention"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.linear_attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_linear_attention %op lanes(%lanes) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize_blocks(!transform.any_op {transform.readonly}) // defined in cpu.mlir
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    transform.include @vectorize_blocks failures(propagate) (%func) : (!transform.any_op) -> ()
    transform.yield
  }
}

// CHECK: math.exp {{.*}} : vector<4xf32>
// CHECK: vector.fma {{.*}} : vector<16xf32>
// CHECK: vector.fma {{.*}} : vector<4xf32>
// CHECK-NOT: memref.copy
// CHECK-NOT: linalg.
