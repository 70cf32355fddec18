// RUN: heddle-opt %s --heddle-kernels-to-gpu="threads=64" | FileCheck %s

// A workgroup has 64 threads. If a loop has fewer iterations, the remaining threads skip its body and wait at the
// barrier. If a loop has more iterations, a thread executes several of them. A buffer that one loop writes and a later
// loop reads is in workgroup memory. One dimension has at most 65535 workgroups, so 100000 workgroups need two rows.
// CHECK-LABEL: func.func @main
// CHECK: gpu.launch_func @device::@two blocks in (%c8{{.*}}, %c1{{.*}}, %c1{{.*}}) threads in (%c64{{.*}}, %c1{{.*}}, %c1{{.*}}) args(%arg0 : memref<8x100xf32>)
// CHECK: gpu.launch_func @device::@many blocks in (%c65535{{.*}}, %c2{{.*}}, %c1
// CHECK: gpu.func @two(%[[M:.*]]: memref<8x100xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>}
// CHECK: %[[T:.*]] = gpu.thread_id x
// CHECK: %[[G:.*]] = gpu.block_id x
// CHECK: memref.alloc() : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK: %[[PART:.*]] = arith.cmpi ult, %[[T]], %c32
// CHECK: scf.if %[[PART]] {
// CHECK: gpu.barrier
// CHECK: scf.for %[[I:.*]] = %[[T]] to %c100{{.*}} step %c64
// CHECK: memref.store %{{.*}}, %[[M]][%[[G]], %[[I]]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.func @many
// CHECK: %[[ROW:.*]] = gpu.block_id y
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %{{.*}}, %c100000
// CHECK: scf.if %[[EXISTS]]
func.func @main(%m: memref<8x100xf32>) {
  %c8 = arith.constant 8 : index
  %many = arith.constant 100000 : index
  heddle.launch @two for %c8 args(%m) : index, memref<8x100xf32>
  heddle.launch @many for %many args(%m) : index, memref<8x100xf32>
  return
}
func.func private @two(%g: index, %m: memref<8x100xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %shared = memref.alloc() : memref<32xf32>
  scf.forall (%t) in (32) {
    memref.store %zero, %shared[%t] : memref<32xf32>
  }
  scf.forall (%t) in (100) {
    %v = memref.load %shared[%c0] : memref<32xf32>
    memref.store %v, %m[%g, %t] : memref<8x100xf32>
  }
  return
}
func.func private @many(%g: index, %m: memref<8x100xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  scf.forall (%t) in (64) {
    memref.store %zero, %m[%c0, %t] : memref<8x100xf32>
  }
  return
}
