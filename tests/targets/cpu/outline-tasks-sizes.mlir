// RUN: heddle-opt %s --heddle-outline-tasks --canonicalize | FileCheck %s

// The number of iterations may depend on the sizes of a call. Then the arena, which contains these sizes, is an
// argument of each task.
// CHECK-LABEL: func.func private @k_size_task0(
// CHECK-SAME: %[[TASK:.*]]: index, %{{.*}}: memref<4001x4xf32>, %{{.*}}: memref<64xi8> {heddle.arena})
// CHECK: arith.remui %[[TASK]], %c4
// CHECK-LABEL: func.func private @k_size(
// CHECK: %[[SIZE:.*]] = heddle.size "rows"
// CHECK: %[[COUNT:.*]] = arith.muli %[[SIZE]], %c4
// CHECK: heddle.dispatch @k_size_task0 for %[[COUNT]]
module attributes {heddle.sizes = [{name = "rows", low = 1, high = 9, placeholder = 4001}]} {
  func.func private @k_size(%x: memref<4001x4xf32>, %arena: memref<64xi8> {heddle.arena}) {
    %v = arith.constant 1.0 : f32
    %rows = heddle.size "rows"
    scf.forall (%i, %j) in (%rows, 4) {
      memref.store %v, %x[%i, %j] : memref<4001x4xf32>
    }
    return
  }
}
