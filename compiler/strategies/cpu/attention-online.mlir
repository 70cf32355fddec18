// RUN: heddle-opt %source/tests/strategies/Inputs/attention.mlir \
// RUN:   '--heddle-tile=features=avx512f strategy=attention=%s:block_k=32' --heddle-vectorize=features=avx512f | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/attention.mlir \
// RUN:   '--heddle-tile=features=avx512f strategy=attention=%s:block_k=32' --heddle-vectorize=features=avx512f \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse --canonicalize \
// RUN:   | FileCheck %s --check-prefix=INPLACE

// Attention that never stores the score matrix: queries lie in vector lanes, the
// softmax runs online over blocks of keys, blocks that masks remove are skipped.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "cpu", features = ["avx512f"], priority = 20}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    transform.heddle.match_attribute %op "with_weights" present(false)
      else "stores no softmax weights, which are a result here" : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %q = transform.tune.knob<"block_q"> = 64 from options = [16, 32, 48, 64] -> !transform.param<i64>
    %k = transform.tune.knob<"block_k"> = 128 from options = [32, 64, 96, 128, 192, 256] -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention %op block_q(%q) block_k(%k)
      : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.vectorize %func lanes(%lanes) blocks : !transform.any_op, !transform.param<i64>
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}

// Two heads, two blocks of 64 queries; two blocks of 24 keys, then the other 22.
// CHECK: scf.forall {{.*}} in (2, 2)
// CHECK: scf.for {{.*}} -> (tensor<64xf32>, tensor<64xf32>, tensor<4x64xf32>, tensor<24x64xf32>)
// Six keys by 64 queries stay in registers, and their maximum is taken there.
// CHECK: scf.for {{.*}} -> (tensor<24x64xf32>, tensor<64xf32>)
// CHECK: scf.for
// CHECK-COUNT-24: vector.fma
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.copy
