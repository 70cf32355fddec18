// RUN: heddle-opt %s --heddle-tile="target=cuda strategy=attention=attention-tiles" | FileCheck %s
// RUN: heddle-opt %s --heddle-tile="target=cuda strategy=attention=attention-blocks" | FileCheck %s

// Key lengths are clamped as integers of 64 bits. An index has 32 bits on this target, so a length of 2^32 + 1 would
// become 1.
// CHECK-LABEL: @k0
// CHECK: %[[LENGTH:.*]] = tensor.extract %{{.*}} : tensor<2xi64>
// CHECK: %[[LOW:.*]] = arith.maxsi %[[LENGTH]], %{{.*}} : i64
// CHECK: %[[VALID:.*]] = arith.minsi %[[LOW]], %{{.*}} : i64
// CHECK: arith.index_cast %[[VALID]] : i64 to index
func.func private @k0(%q: tensor<2x2x70x8xf32>, %k: tensor<2x2x90x8xf32>, %v: tensor<2x2x90x8xf32>, %n: tensor<2xi64>, %out: tensor<2x2x70x8xf32> {bufferization.writable = true}) -> tensor<2x2x70x8xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v key_lengths(%n) : (tensor<2x2x70x8xf32>, tensor<2x2x90x8xf32>, tensor<2x2x90x8xf32>, tensor<2xi64>) -> tensor<2x2x70x8xf32>
  return %0 : tensor<2x2x70x8xf32>
}
