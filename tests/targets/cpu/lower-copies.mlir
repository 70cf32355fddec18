// RUN: heddle-opt %s --heddle-lower-copies | FileCheck %s

// A copy from a view with gaps between its rows becomes loops over the elements.
// CHECK-LABEL: func.func @strided(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[V:.*]] = memref.load
// CHECK: memref.store %[[V]]
// CHECK-NOT: memref.copy
func.func @strided(%x: memref<4x8xf32, strided<[16, 1]>>, %y: memref<4x8xf32>) {
  memref.copy %x, %y : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}
