// RUN: heddle-opt %source/tests/strategies/Inputs/attention-heads.mlir \
// RUN:   "--heddle-tile=%{avx512} strategy=attention=%source/compiler/strategies/cpu/attention-heads.mlir" | FileCheck %s

// The strategy attention-heads places the heads of an attention in the lanes of vectors. After heddle-tile, a task
// still contains a heddle.attention for one batch entry and one block of queries, which heddle-vectorize lowers. Its
// result is inserted into the task's slice of the whole result.
// CHECK-LABEL: func.func @kernel
// CHECK: scf.forall (%[[ENTRY:.*]], %{{.*}}) in (3, 1) shared_outs
// CHECK: %[[KEYS:.*]] = tensor.extract_slice %arg1[%[[ENTRY]], 0, 0, 0] [1, 9, 7, 3] [1, 1, 1, 1]
// CHECK: heddle.attention %{{.*}}, %[[KEYS]], %{{.*}} {heddle.head_lanes = 16 : i64}
// CHECK-SAME: -> tensor<1x5x7x5xf32>
// CHECK-NOT: vector
// CHECK: tensor.parallel_insert_slice
