// RUN: heddle-opt %s --heddle-kernels-to-gpu="threads=64" | FileCheck %s

// The number of workgroups depends on sizes of the call. A kernel of one thread (main_counts) computes the numbers in
// three dimensions, and the launch reads them. The launch limits each of them to the number that the largest sizes
// need. Kernels read sizes from the beginning of the arena, which is their first buffer.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[ARENA:[a-z0-9]*]]: memref<256xi8> {heddle.arena}
// CHECK: %[[COUNTS:.*]] = memref.alloc() : memref<3xi32>
// CHECK: gpu.launch_func @device::@main_counts blocks in (%[[ONE:.*]], %[[ONE]], %[[ONE]]) threads in (%[[ONE]], %[[ONE]], %[[ONE]]) args(%{{.*}} : memref<16xi32>, %[[COUNTS]] : memref<3xi32>)
// CHECK: %[[X:.*]] = memref.load %[[COUNTS]][%c0{{.*}}]
// CHECK: %[[CAST:.*]] = arith.index_castui %[[X]]
// CHECK: %[[LESSER:.*]] = arith.minui %[[CAST]], %c30
// CHECK: memref.load %[[COUNTS]][%c1{{.*}}]
// CHECK: %[[FRAME:.*]] = memref.view %[[ARENA]][%c0{{.*}}][] : memref<256xi8> to memref<16xi32>
// CHECK: gpu.launch_func @device::@some blocks in (%[[LESSER]], %{{.*}}, %c1{{.*}}) threads in (%c64{{.*}}, {{.*}}) args(%[[FRAME]] : memref<16xi32>, %arg0 : memref<4001x100xf32>)
// CHECK: gpu.func @main_counts(%[[SIZES:.*]]: memref<16xi32>, %[[INTO:.*]]: memref<3xi32>) kernel
// CHECK: memref.load %[[SIZES]][%c4]
// CHECK: %[[GROUPS:.*]] = arith.muli %{{.*}}, %c3
// CHECK: %[[MOST:.*]] = arith.minui %[[GROUPS]], %c65535
// CHECK: %[[ROWS:.*]] = arith.ceildivui %[[GROUPS]], %c65535
// CHECK: memref.store %{{.*}}, %[[INTO]][%c0
// CHECK: memref.store %{{.*}}, %[[INTO]][%c1
// CHECK: memref.store %{{.*}}, %[[INTO]][%c2
// CHECK: gpu.func @some(%[[F:.*]]: memref<16xi32>, %[[M:.*]]: memref<4001x100xf32>) kernel
// CHECK: %[[WORD:.*]] = arith.constant 6 : index
// CHECK: memref.load %[[F]][%[[WORD]]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c64
// CHECK-NOT: heddle.size
module attributes {heddle.sizes = [{name = "rows", low = 1, high = 10, placeholder = 4001},
                                   {name = "columns", low = 1, high = 8, placeholder = 3989}]} {
  func.func @main(%m: memref<4001x100xf32>, %arena: memref<256xi8> {heddle.arena}) {
    %rows = heddle.size "rows"
    %c3 = arith.constant 3 : index
    %groups = arith.muli %rows, %c3 : index
    heddle.launch @some for %groups args(%m) : index, memref<4001x100xf32>
    return
  }
  func.func private @some(%g: index, %m: memref<4001x100xf32>) {
    %zero = arith.constant 0.0 : f32
    %columns = heddle.size "columns"
    scf.forall (%t) in (%columns) {
      memref.store %zero, %m[%g, %t] : memref<4001x100xf32>
    }
    return
  }
}
