// RUN: heddle-opt %s '--heddle-tile=%{avx512} strategy=append=append-rows' --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %s '--heddle-tile=%{avx512} strategy=append=append-rows' --heddle-vectorize --eliminate-empty-tensors \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE

// The appended rows are rounded to integers, with one scale for each row. Integers and scales are written directly to
// the caller's buffers, without a temporary buffer for the state.
// CHECK: scf.forall {{.*}} shared_outs(%{{.*}} = %arg2, %{{.*}} = %arg3)
// CHECK: scf.for
// CHECK: vector.fma
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// CHECK: vector.transfer_write {{.*}} vector<16xi8>
// CHECK-NOT: linalg.
// INPLACE: scf.forall
// INPLACE-NOT: memref.alloc() {{.*}}x40x
// INPLACE-NOT: memref.copy
// INPLACE: return
func.func @k0(%new: tensor<2x3x5x39xf32> {bufferization.writable = false}, %past: tensor<2xi64> {bufferization.writable = false},
              %state: tensor<2x3x40x39xi8> {bufferization.writable = true}, %scales: tensor<2x3x40x1xf32> {bufferization.writable = true})
    -> (tensor<2x3x40x39xi8>, tensor<2x3x40x1xf32>) attributes {heddle.kernel} {
  %0:2 = heddle.append %new into %state scales(%scales : tensor<2x3x40x1xf32>) at %past
    : tensor<2x3x5x39xf32> into tensor<2x3x40x39xi8>, tensor<2xi64>
  return %0#0, %0#1 : tensor<2x3x40x39xi8>, tensor<2x3x40x1xf32>
}
