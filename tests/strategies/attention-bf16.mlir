// RUN: heddle-opt %s '--heddle-tile=%{avx512},bf16_dots=1 strategy=attention=%source/compiler/strategies/cpu/attention-online.mlir:block_k=32' --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse --canonicalize | FileCheck %s
// RUN: heddle-opt %s '--heddle-tile=%{avx512} strategy=attention=%source/compiler/strategies/cpu/attention-online.mlir:block_k=32' --heddle-vectorize \
// RUN:   | FileCheck %s --check-prefix=PLAIN

// The strategy attention-online supports `rounding(bf16)`. Its code for CPUs with instructions for dot products of
// pairs of bf16 (bf16_dots) differs from its code for other CPUs.

// With these instructions, both products are lowered to heddle.pair_dot. A head has 7 elements and a block has 23 keys,
// so the last element and the last key have no partner in a pair. The scale of the exponentials, computed from the
// maximum of the scores, is rounded up to a power of two. The result is not copied.
// CHECK: scf.forall
// CHECK: heddle.pair {{.*}} : vector<16xf32> to vector<16xi32>
// CHECK: heddle.pair_dot {{.*}} : vector<16xi32>, vector<16xf32>
// CHECK: arith.cmpf ogt
// CHECK: math.ceil
// CHECK: heddle.exp2_nonpositive
// CHECK: heddle.pair
// CHECK: heddle.pair_dot
// A task whose results are not finite is computed again in f32.
// CHECK: vector.fma
// CHECK-NOT: memref.copy
// On a CPU without these instructions, the rounded values are multiplied as f32: the bits of such a value are the bits
// of the bf16, followed by zeros.
// PLAIN-NOT: heddle.pair_dot
// PLAIN: %[[WORD:.*]] = heddle.pair %{{.*}}, %{{.*}} : vector<16xf32> to vector<16xi32>
// PLAIN: arith.bitcast %[[WORD]] : vector<16xi32> to vector<16xf32>
// PLAIN-NOT: heddle.pair_dot
// PLAIN: vector.fma
func.func @kernel(%q: tensor<1x2x128x7xf32>, %k: tensor<1x2x46x7xf32>, %v: tensor<1x2x46x4xf32>,
                  %out: memref<1x2x128x4xf32>) attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v rounding(bf16)
    : (tensor<1x2x128x7xf32>, tensor<1x2x46x7xf32>, tensor<1x2x46x4xf32>) -> tensor<1x2x128x4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<1x2x128x4xf32>, memref<1x2x128x4xf32>) -> ()
  return
}
