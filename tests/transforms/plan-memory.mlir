// RUN: heddle-opt %s --split-input-file --allow-unregistered-dialect --heddle-plan-memory --canonicalize --cse | FileCheck %s

// %a is not used after %c is written, so %a and %c share memory. The arena has 64 bytes for the call header (facts
// about the call, such as its executor), 256 for the default value of the input %x, which may be null, and 2 x 256 for
// %a, %b and %c.
// CHECK: heddle.arena_size = 832
// CHECK-LABEL: func.func @main(
// CHECK-SAME: heddle.arena_offset = 64
// CHECK-SAME: {heddle.result = 0 : i64}, %[[ARENA:.*]]: memref<832xi8> {heddle.arena}
// CHECK-NOT: memref.alloc
// CHECK-DAG: memref.view %[[ARENA]][%c320]
// CHECK-DAG: memref.view %[[ARENA]][%c576]
func.func @main(%x: memref<64xf32> {heddle.default = 0 : i64}, %y: memref<64xf32> {heddle.result = 0 : i64}) {
  %a = memref.alloc() : memref<64xf32>
  func.call @k0(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  func.call @k0(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  %c = memref.alloc() : memref<64xf32>
  func.call @k0(%b, %c) : (memref<64xf32>, memref<64xf32>) -> ()
  func.call @k0(%c, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @k0(%x: memref<64xf32>, %y: memref<64xf32>) {
  memref.copy %x, %y : memref<64xf32> to memref<64xf32>
  return
}

// -----

// A buffer that is allocated in a parallel loop is scratch memory of a worker, which is one thread of a call. A buffer
// that is allocated before the loop is scratch memory of the kernel.
// CHECK: heddle.worker_size = 128
// CHECK: func.func @main({{.*}} {heddle.result = 0 : i64}, %[[ARENA:.*]]: memref<448xi8> {heddle.arena}
// CHECK: %[[SCRATCH:.*]] = memref.view %[[ARENA]][%c64][] : memref<448xi8> to memref<256xi8>
// CHECK: call @k0(%{{.*}}, %{{.*}}, %[[SCRATCH]], %[[ARENA]])
// CHECK: func.func private @k0(
// CHECK: %[[WORKER:.*]] = memref.view %{{.*}}[%c320][] : memref<448xi8> to memref<128xi8>
// CHECK: memref.view %{{.*}}[%c0][] : memref<256xi8> to memref<64xf32>
// CHECK: scf.forall
// CHECK: memref.view %[[WORKER]][%c0][] : memref<128xi8> to memref<32xf32>
func.func @main(%x: memref<96xf32>, %y: memref<96xf32> {heddle.result = 0 : i64}) {
  func.call @k0(%x, %y) : (memref<96xf32>, memref<96xf32>) -> ()
  return
}
func.func private @k0(%x: memref<96xf32>, %y: memref<96xf32>) {
  %a = memref.alloc() : memref<64xf32>
  "test.fill"(%a) : (memref<64xf32>) -> ()
  scf.forall (%i) in (3) {
    %b = memref.alloc() : memref<32xf32>
    "test.use"(%a, %b) : (memref<64xf32>, memref<32xf32>) -> ()
  }
  return
}
