// RUN: heddle-opt %s --heddle-set-spirv-target | FileCheck %s

// If a loop has no iteration, its result is the initial value. Upstream's lowering to SPIR-V leaves this result
// undefined, so the pass adds a select after a loop that may have no iteration. A loop with constant bounds that has at
// least one iteration needs no select.
gpu.module @device {
  // CHECK: gpu.func @sums(%{{.*}}: memref<8xf32>, %[[N:.*]]: index)
  gpu.func @sums(%m: memref<8xf32>, %n: index) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    // CHECK: %[[START:.*]] = arith.constant 0.0
    %zero = arith.constant 0.0 : f32
    // CHECK: %[[SUM:.*]] = scf.for
    %a = scf.for %i = %c0 to %n step %c1 iter_args(%so = %zero) -> (f32) {
      %v = memref.load %m[%i] : memref<8xf32>
      %next = arith.addf %so, %v : f32
      scf.yield %next : f32
    }
    // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[N]] : index
    // CHECK: %[[KEPT:.*]] = arith.select %[[RUNS]], %[[SUM]], %[[START]]
    // CHECK: memref.store %[[KEPT]]
    memref.store %a, %m[%c0] : memref<8xf32>
    // CHECK: %[[FIXED:.*]] = scf.for
    %b = scf.for %i = %c0 to %c8 step %c1 iter_args(%so = %zero) -> (f32) {
      %v = memref.load %m[%i] : memref<8xf32>
      %next = arith.addf %so, %v : f32
      scf.yield %next : f32
    }
    // CHECK-NOT: arith.select
    // CHECK: memref.store %[[FIXED]]
    memref.store %b, %m[%c1] : memref<8xf32>
    gpu.return
  }
}
