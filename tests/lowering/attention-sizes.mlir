// RUN: heddle-opt %s --split-input-file '--heddle-tile=%{avx512} strategy=attention=attention-online' | FileCheck %s
// RUN: heddle-opt %s --split-input-file '--heddle-tile=%{avx512} strategy=attention=attention-online' --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse --canonicalize \
// RUN:   | FileCheck %s --check-prefix=INPLACE

// The block of the last task has only as many vectors as its queries need. Queries lie in lanes; the lanes after the
// last query compute the last query again.
// CHECK-LABEL: @queries
// CHECK: %[[ALL:.*]] = heddle.size "s"
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[ALL]], %c64
// CHECK: scf.forall (%{{.*}}, %{{.*}}, %[[BLOCK:.*]]) in (2, 3, %[[BLOCKS]])
// CHECK: %[[LEFT:.*]] = arith.subi %[[ALL]], %[[FIRST:.*]]
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %c
// CHECK: %[[WIDE:.*]] = arith.cmpi ugt, %[[COUNT]], %c48
// CHECK: scf.if %[[WIDE]] -> (tensor<?x4xf32>)
// CHECK: scf.for {{.*}} -> (tensor<64x8xf32>)
// CHECK: arith.minsi
// CHECK: tensor.extract_slice %arg0[{{.*}}] [1, 1, 1, 8] [1, 1, 1, 1] : tensor<2x3x4001x8xf32> to tensor<8xf32>
// CHECK: tensor<?x4xf32>
// CHECK: tensor<48x8xf32>
// CHECK: tensor<32x8xf32>
// CHECK: tensor<16x8xf32>
// CHECK: tensor.parallel_insert_slice {{.*}} [1, 1, %[[COUNT]], 4] [1, 1, 1, 1] : tensor<?x4xf32> into tensor<2x3x4001x4xf32>
// Bufferization inserts no copies.
// INPLACE-LABEL: @queries
// INPLACE-NOT: memref.copy
module attributes {heddle.sizes = [{name = "s", low = 1, high = 512, placeholder = 4001}]} {
  func.func @queries(%q: tensor<2x3x4001x8xf32>, %k: tensor<2x3x70x8xf32>, %v: tensor<2x3x70x4xf32>)
      -> tensor<2x3x4001x4xf32> attributes {heddle.kernel} {
    %0 = heddle.attention %q, %k, %v
      : (tensor<2x3x4001x8xf32>, tensor<2x3x70x8xf32>, tensor<2x3x70x4xf32>) -> tensor<2x3x4001x4xf32>
    return %0 : tensor<2x3x4001x4xf32>
  }
}

// -----

// All blocks of keys, including the last one, which may have fewer keys, share the same code. The loops over the keys
// of a block have dynamic bounds: the first loop processes whole register tiles of 6 keys, and the second loop
// processes the remaining keys one by one.
// CHECK-LABEL: @keys
// CHECK: scf.forall {{.*}} in (1, 2, 1)
// CHECK: scf.for %[[BLOCK:[^ ]*]] = {{.*}} -> (tensor<64xf32>, tensor<64xf32>, tensor<8x64xf32>, tensor<108x64xf32>)
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c108
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[FIRST]]
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %c108
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [%[[COUNT]], 64] [1, 1] : tensor<108x64xf32> to tensor<?x64xf32>
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<?x8xf32>, tensor<8x64xf32>) outs({{.*}} : tensor<?x64xf32>)
// INPLACE-LABEL: @keys
// INPLACE: %[[REST:.*]] = arith.remui %[[COUNT:.*]], %c6
// INPLACE: %[[WHOLE:.*]] = arith.subi %[[COUNT]], %[[REST]]
// INPLACE: scf.for {{.*}} to %[[WHOLE]] step %c6
// INPLACE: scf.for {{.*}} = %[[WHOLE]] to %[[COUNT]] step %c1
// INPLACE-NOT: memref.copy
module attributes {heddle.sizes = [{name = "skv", low = 1, high = 512, placeholder = 4001}]} {
  func.func @keys(%q: tensor<1x2x60x8xf32>, %k: tensor<1x2x4001x8xf32>) -> tensor<1x2x60x8xf32> attributes {heddle.kernel} {
    %0 = heddle.attention %q, %k, %k
      : (tensor<1x2x60x8xf32>, tensor<1x2x4001x8xf32>, tensor<1x2x4001x8xf32>) -> tensor<1x2x60x8xf32>
    return %0 : tensor<1x2x60x8xf32>
  }
}
