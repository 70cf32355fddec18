// RUN: heddle-opt %source/tests/strategies/Inputs/attention.mlir \
// RUN:   '--heddle-tile=%{avx512} strategy=attention=%s:block_k=32' --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/attention.mlir \
// RUN:   '--heddle-tile=%{avx512} strategy=attention=%s:block_k=32' --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse --canonicalize \
// RUN:   | FileCheck %s --check-prefix=INPLACE
// RUN: heddle-opt %source/tests/strategies/Inputs/attention.mlir --heddle-tile=strategy=attention=%s:block_k=32 --heddle-vectorize \
// RUN:   | FileCheck %s --check-prefix=NARROW

// Attention that never stores the score matrix: each lane of a vector contains a query, the softmax is computed online
// over blocks of keys, and blocks of keys that masks remove are skipped.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "cpu", features = [], priority = 20}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    transform.heddle.match_online %op : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The maximum numbers of queries and of keys in a block. A register tile of scores has 6 keys x 16 queries with
    // AVX2, and 6 keys x up to 64 queries with AVX-512. In larger blocks, more queries share loaded keys: with AVX2,
    // for 128 to 1000 tokens, blocks of 48 queries x 192 keys take 0.8 to 1.0 times as long as blocks of 32 x 128.
    %q = transform.tune.knob<"block_q"> = 48 from options = [16, 32, 48, 64]
      {defaults = [{vector_bits = 512, value = 64}]} -> !transform.param<i64>
    %k = transform.tune.knob<"block_k"> = 192 from options = [32, 64, 96, 128, 192, 256]
      {defaults = [{vector_bits = 512, value = 128}]} -> !transform.param<i64>
    // 1 if attention that rounds to bf16 multiplies pairs of bf16; 0 if it multiplies the rounded numbers in f32.
    %dots = transform.tune.knob<"bf16_dots"> = 0 from options = [0, 1] -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention %op lanes(%lanes) block_q(%q) block_k(%k) bf16_dots(%dots) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize_blocks(!transform.any_op {transform.readonly}) // defined in cpu.mlir
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    transform.include @vectorize_blocks failures(propagate) (%func) : (!transform.any_op) -> ()
    transform.yield
  }
}

// There are four tasks: two heads times two blocks of 64 queries. Each task has a loop over two blocks of 24 keys, and
// then computes the remaining 22 keys.
// CHECK: scf.forall {{.*}} in (2, 2)
// CHECK: scf.for {{.*}} -> (tensor<64xf32>, tensor<64xf32>, tensor<4x64xf32>, tensor<24x64xf32>)
// The scores of six keys and 64 queries, and the maximum of the scores, are computed in registers.
// CHECK: scf.for {{.*}} -> (tensor<24x64xf32>, tensor<64xf32>)
// CHECK: scf.for
// CHECK-COUNT-24: vector.fma
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.copy
// NARROW: scf.forall {{.*}} in (2, 4)
// NARROW: scf.for {{.*}} -> (tensor<32xf32>, tensor<32xf32>, tensor<4x32xf32>, tensor<24x32xf32>)
// NARROW: scf.for {{.*}} -> (tensor<24x32xf32>, tensor<32xf32>)
// NARROW: scf.for {{.*}} -> (tensor<24x32xf32>, tensor<32xf32>)
// NARROW: scf.for
// NARROW-COUNT-6: vector.fma
// NARROW-NEXT: scf.yield
// NARROW-NOT: linalg.
