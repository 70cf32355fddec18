// RUN: heddle-opt %s --heddle-outline-launches="threads=64" --canonicalize | FileCheck %s

// Each of the 100 iterations has a thread, in two workgroups of 64. The remaining threads of the second workgroup do
// nothing.
// CHECK-LABEL: func.func private @elements_launch0(%arg0: index, %arg1: memref<4x25xf32>, %arg2: memref<4x25xf32>)
// CHECK: scf.forall (%[[T:.*]]) in (64)
// CHECK: %[[FIRST:.*]] = arith.muli %arg0, %c64
// CHECK: %[[I:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK: arith.cmpi ult, %[[I]], %c100
// CHECK: scf.if
// CHECK: %[[COLUMN:.*]] = arith.remui %[[I]], %c25
// CHECK: %[[ROW:.*]] = arith.divui %[[I]], %c25
// CHECK: memref.load %arg1[%[[ROW]], %[[COLUMN]]]
// CHECK-LABEL: func.func @elements
// CHECK-NEXT: %[[GROUPS:.*]] = arith.constant 2
// CHECK-NEXT: heddle.launch @elements_launch0 for %[[GROUPS]] args(%arg0, %arg1)
func.func @elements(%x: memref<4x25xf32>, %y: memref<4x25xf32>) {
  scf.forall (%i, %j) in (4, 25) {
    %v = memref.load %x[%i, %j] : memref<4x25xf32>
    memref.store %v, %y[%i, %j] : memref<4x25xf32>
  }
  return
}

// Each iteration has a workgroup, since it contains loops over threads. Constants are created again in the kernel.
// CHECK-LABEL: func.func private @groups_launch0(%arg0: index, %arg1: memref<8x64xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NOT: scf.if
// CHECK: scf.forall (%[[T:.*]]) in (64)
// CHECK: memref.store %[[ZERO]], %arg1[%arg0, %[[T]]]
// CHECK-LABEL: func.func @groups
// CHECK: heddle.launch @groups_launch0 for %c8 args(%arg0)
func.func @groups(%y: memref<8x64xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    scf.forall (%t) in (64) {
      memref.store %zero, %y[%i, %t] : memref<8x64xf32>
    }
  }
  return
}

// A copy becomes a launch with one thread for each element.
// CHECK-LABEL: func.func private @copy_launch0
// CHECK: memref.load
// CHECK: memref.store
// CHECK-LABEL: func.func @copy
// CHECK-NOT: memref.copy
func.func @copy(%x: memref<7xf32>, %y: memref<7xf32>) {
  memref.copy %x, %y : memref<7xf32> to memref<7xf32>
  return
}

// Earlier passes replace a loop of one iteration by its body. One workgroup executes operations outside of loops.
// CHECK-LABEL: func.func private @serial_launch0(%arg0: index, %arg1: memref<7xf32>)
// CHECK: memref.load %arg1
// CHECK: memref.store
// CHECK-LABEL: func.func @serial
// CHECK: heddle.launch @serial_launch0
func.func @serial(%x: memref<7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%c0] : memref<7xf32>
  memref.store %v, %x[%c1] : memref<7xf32>
  return
}

// A call separates the launches before and after it.
// CHECK-LABEL: func.func private @between_launch1(
// CHECK-LABEL: func.func @between
// CHECK: heddle.launch @between_launch0
// CHECK-NEXT: call @serial
// CHECK: heddle.launch @between_launch1
func.func @between(%x: memref<7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%c0] : memref<7xf32>
  memref.store %v, %x[%c1] : memref<7xf32>
  call @serial(%x) : (memref<7xf32>) -> ()
  %w = memref.load %x[%c1] : memref<7xf32>
  memref.store %w, %x[%c0] : memref<7xf32>
  return
}

// Each iteration of a loop that allocates tiles has a workgroup, which executes the operations on tiles together.
// CHECK-LABEL: func.func private @tiles_launch0(%arg0: index, %arg1: memref<6x16x32xf32>)
// CHECK-NOT: scf.forall
// CHECK: memref.alloc() : memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 1 x 1>>
// CHECK: linalg.fill
// CHECK-LABEL: func.func @tiles
// CHECK-NEXT: %[[GROUPS:.*]] = arith.constant 6
// CHECK-NEXT: heddle.launch @tiles_launch0 for %[[GROUPS]] args(%arg0)
func.func @tiles(%out: memref<6x16x32xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (6) {
    %tile = memref.alloc() : memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 1 x 1>>
    linalg.fill ins(%zero : f32) outs(%tile : memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 1 x 1>>)
    %part = memref.subview %out[%i, 0, 0] [1, 16, 32] [1, 1, 1] : memref<6x16x32xf32> to memref<16x32xf32, strided<[32, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%tile : memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 1 x 1>>)
        outs(%part : memref<16x32xf32, strided<[32, 1], offset: ?>>) {
    ^bb0(%x: f32, %old: f32):
      linalg.yield %x : f32
    }
  }
  return
}
