// RUN: heddle-opt %s --heddle-outline-launches="threads=64" --canonicalize --cse | FileCheck %s

// The number of workgroups of a launch is computed from the sizes of the call. A thread beyond the last element does
// nothing. The kernel reads the sizes itself (heddle.size), so they are not arguments.
module attributes {heddle.sizes = [{name = "rows", low = 1, high = 9, placeholder = 4001}]} {
  // CHECK-LABEL: func.func private @elements_launch0(%arg0: index, %arg1: memref<4001x25xf32>, %arg2: memref<4001x25xf32>)
  // CHECK: %[[ROWS:.*]] = heddle.size "rows"
  // CHECK: scf.forall (%{{.*}}) in (64)
  // CHECK: %[[COUNT:.*]] = arith.muli %[[ROWS]], %c25
  // CHECK: arith.cmpi ult, %{{.*}}, %[[COUNT]]
  // CHECK: scf.if
  // CHECK: arith.remui %{{.*}}, %c25
  // CHECK-LABEL: func.func @elements
  // CHECK: %[[GROUPS:.*]] = arith.ceildivui %{{.*}}, %c64
  // CHECK: heddle.launch @elements_launch0 for %[[GROUPS]] args(%arg0, %arg1)
  func.func @elements(%x: memref<4001x25xf32>, %y: memref<4001x25xf32>) {
    %rows = heddle.size "rows"
    scf.forall (%i, %j) in (%rows, 25) {
      %v = memref.load %x[%i, %j] : memref<4001x25xf32>
      memref.store %v, %y[%i, %j] : memref<4001x25xf32>
    }
    return
  }

  // A copy has one thread for each element, and each call computes the number of elements from `rows`.
  // CHECK-LABEL: func.func private @copy_launch0
  // CHECK: heddle.size "rows"
  // CHECK-LABEL: func.func @copy
  // CHECK: %[[SIZE:.*]] = heddle.size "rows"
  // CHECK: arith.ceildivui %[[SIZE]], %c64
  func.func @copy(%x: memref<4001xf32>, %y: memref<4001xf32>) {
    memref.copy %x, %y : memref<4001xf32> to memref<4001xf32>
    return
  }

  // The outer loop contains a loop over threads, so each of its iterations has a workgroup.
  // CHECK-LABEL: func.func @groups
  // CHECK: %[[N:.*]] = heddle.size "rows"
  // CHECK: heddle.launch @groups_launch0 for %[[N]] args(%arg0)
  func.func @groups(%y: memref<4001x64xf32>) {
    %zero = arith.constant 0.0 : f32
    %rows = heddle.size "rows"
    scf.forall (%i) in (%rows) {
      scf.forall (%t) in (64) {
        memref.store %zero, %y[%i, %t] : memref<4001x64xf32>
      }
    }
    return
  }
}
