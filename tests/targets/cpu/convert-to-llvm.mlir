// RUN: heddle-opt %s --heddle-convert-to-llvm | FileCheck %s

// Buffers become bare pointers with the attribute noalias.
// CHECK-LABEL: llvm.func @k0(%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {heddle.arena, llvm.noalias})

// If there is only one worker, because the call has one thread or there is one task, the calling function runs the
// tasks. Otherwise it calls the executor.
// CHECK: llvm.alloca
// CHECK: %[[PARALLEL:.*]] = llvm.icmp "ugt"
// CHECK: llvm.cond_br %[[PARALLEL]]
// CHECK: llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
// CHECK: llvm.call @k0_task0_worker
func.func private @k0(%x: memref<8xf32>, %arena: memref<192xi8> {heddle.arena}) {
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %scratch = memref.view %arena[%c64][] : memref<192xi8> to memref<64xi8>
  heddle.dispatch @k0_task0 for %c4 in %arena scratch(%scratch) args(%x)
    : index, memref<192xi8>, memref<64xi8>, memref<8xf32>
  return
}
func.func private @k0_task0(%i: index, %scratch: memref<64xi8>, %x: memref<8xf32>) {
  return
}

// Each thread executes the worker function with scratch memory of its own. The function increments a shared counter and
// executes the task that belongs to the old value, until no task is left. The tasks are divided into as many contiguous
// runs as there are workers, and consecutive values of the counter belong to different runs.
// CHECK-LABEL: llvm.func internal @k0_task0_worker(
// CHECK: llvm.mul %{{.*}}, %{{.*}} : i64
// CHECK: %[[DRAW:.*]] = llvm.atomicrmw add
// CHECK: llvm.urem %[[DRAW]]
// CHECK: llvm.udiv %[[DRAW]]
// CHECK: llvm.call @k0_task0(
