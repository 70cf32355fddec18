// RUN: heddle-opt %s --heddle-pipeline-tiles --canonicalize --cse | FileCheck %s

// The loop has four steps, and its tile has three buffers.
// CHECK-LABEL: func.func @three
func.func @three(%x: memref<32x16xf32>, %sums: memref<32x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>,
                 %right: memref<4x32xf32, #heddle.workgroup>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  // The copies of the first two steps precede the loop, each as a group of its own.
  // CHECK: %[[ALL:.*]] = memref.alloc() : memref<3x32x4xf32, #heddle.workgroup>
  // CHECK: memref.subview %[[ALL]][0, 0, 0] [1, 32, 4]
  // CHECK: heddle.tile_copy async %{{.*}}[%c0, %c0] into
  // CHECK: heddle.tile_commit
  // CHECK: memref.subview %[[ALL]][1, 0, 0] [1, 32, 4]
  // CHECK: heddle.tile_copy async %{{.*}}[%c0, %c4] into
  // CHECK: heddle.tile_commit
  // CHECK-NOT: heddle.tile_wait
  // CHECK: scf.for %[[K:.*]] = %c0 to %c16 step %c4 {
  scf.for %k = %c0 to %c16 step %c4 {
    // The wait leaves the last group pending, because the group of this step is the last but one.
    // CHECK-NEXT: %[[EXISTS:.*]] = arith.cmpi slt, %[[K]], %c8
    // CHECK-NEXT: heddle.tile_wait pending(1)
    // CHECK-NEXT: %[[LATER:.*]] = arith.addi %[[K]], %c8
    // CHECK-NEXT: scf.if %[[EXISTS]] {
    // CHECK-NEXT: %[[THERE:.*]] = affine.apply {{.*}}(%[[LATER]])
    // CHECK-NEXT: %[[TARGET:.*]] = memref.subview %[[ALL]][%[[THERE]], 0, 0] [1, 32, 4]
    // CHECK-NEXT: heddle.tile_copy async %{{.*}}[%c0, %[[LATER]]] into %[[TARGET]]
    // CHECK-NEXT: }
    // CHECK-NEXT: heddle.tile_commit
    // CHECK-NEXT: %[[STAGE:.*]] = affine.apply {{.*}}(%[[K]])
    // CHECK-NEXT: %[[TILE:.*]] = memref.subview %[[ALL]][%[[STAGE]], 0, 0] [1, 32, 4]
    // CHECK-NEXT: linalg.matmul ins(%[[TILE]],
    %tile = memref.alloc() : memref<32x4xf32, #heddle.workgroup>
    heddle.tile_copy %x[%c0, %k] into %tile : memref<32x16xf32>, memref<32x4xf32, #heddle.workgroup>
    linalg.matmul ins(%tile, %right : memref<32x4xf32, #heddle.workgroup>, memref<4x32xf32, #heddle.workgroup>)
                  outs(%sums : memref<32x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>)
  } {heddle.stages = 3 : i64}
  return
}

// The number of steps of the inner loop is not known, so the copy that precedes the loop is conditional, too. A wait
// precedes this copy, because the last step of the inner loop in the previous iteration of the outer loop may still
// read the tile.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%x: memref<32x?xf32>, %sums: memref<32x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>,
                   %right: memref<4x32xf32, #heddle.workgroup>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: heddle.tile_wait pending(0)
    // CHECK: scf.if
    // CHECK: heddle.tile_copy async
    // CHECK: heddle.tile_commit
    // CHECK: scf.for
    // CHECK: heddle.tile_wait pending(0)
    // CHECK: scf.if
    // CHECK: heddle.tile_copy async
    // CHECK: heddle.tile_commit
    scf.for %k = %c0 to %n step %c4 {
      %tile = memref.alloc() : memref<32x4xf32, #heddle.workgroup>
      heddle.tile_copy %x[%c0, %k] into %tile : memref<32x?xf32>, memref<32x4xf32, #heddle.workgroup>
      linalg.matmul ins(%tile, %right : memref<32x4xf32, #heddle.workgroup>, memref<4x32xf32, #heddle.workgroup>)
                    outs(%sums : memref<32x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>)
    } {heddle.stages = 2 : i64}
  }
  return
}

// A loop with one stage does not change.
// CHECK-LABEL: func.func @one
func.func @one(%x: memref<32x16xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  // CHECK-NOT: heddle.tile_commit
  // CHECK: heddle.tile_copy %
  // CHECK-NOT: heddle.stages
  scf.for %k = %c0 to %c16 step %c4 {
    %tile = memref.alloc() : memref<32x4xf32, #heddle.workgroup>
    heddle.tile_copy %x[%c0, %k] into %tile : memref<32x16xf32>, memref<32x4xf32, #heddle.workgroup>
  } {heddle.stages = 1 : i64}
  return
}
