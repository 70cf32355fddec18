// RUN: heddle-opt %s --heddle-kernels-to-gpu="threads=64" | FileCheck %s

// Outside of loops over threads, one thread of the workgroup writes scalars and vectors. The other threads wait at a
// barrier, because they may read the written elements.
func.func @main(%m: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  heddle.launch @ends for %c1 args(%m) : index, memref<8xf32>
  return
}
// CHECK-LABEL: gpu.func @ends
// CHECK: %[[ONE:.*]] = arith.cmpi ult, %{{.*}}, %c1
// CHECK: scf.if %[[ONE]]
// CHECK-NEXT: vector.transfer_write
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK-NEXT: memref.store
// CHECK: gpu.barrier
// CHECK: vector.transfer_read
func.func private @ends(%g: index, %m: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  %tile = memref.alloc() : memref<4xf32>
  vector.transfer_write %zeros, %tile[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
  memref.store %zero, %tile[%c3] : memref<4xf32>
  scf.forall (%t) in (32) {
    %v = vector.transfer_read %tile[%c0], %zero {in_bounds = [true]} : memref<4xf32>, vector<4xf32>
    vector.transfer_write %v, %m[%c4] {in_bounds = [true]} : vector<4xf32>, memref<8xf32>
  }
  return
}
