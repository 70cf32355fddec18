// RUN: heddle-opt %s --heddle-kernels-to-gpu="threads=64 subgroup=32 counts-workgroups=0" | FileCheck %s

// With subgroup=32, the number of threads is rounded up to a multiple of 32, so that all sub-groups are full: 7 become
// 32. With counts-workgroups=0, launches have as many workgroups as the largest sizes need, and workgroups that the
// call does not need return at once. The sum over a workgroup of 64 threads needs room for the sums of two sub-groups.
// CHECK-LABEL: func.func @main
// CHECK: gpu.launch_func @device::@few blocks in (%c8{{.*}}, %c1{{.*}}, %c1{{.*}}) threads in (%c32
// CHECK-NOT: _counts
// CHECK: gpu.launch_func @device::@sum
// CHECK-LABEL: gpu.func @few
// CHECK-SAME: known_block_size = array<i32: 32, 1, 1>
// CHECK: %[[SIZE:.*]] = arith.index_castui
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %{{.*}}, %[[SIZE]]
// CHECK: scf.if %[[EXISTS]]
// CHECK: scf.if
// CHECK-LABEL: gpu.func @sum
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0
// CHECK: %[[NUMBER:.*]] = arith.divui %{{.*}}, %c32
// CHECK: memref.alloc() : memref<2xf32, #gpu.address_space<workgroup>>
// CHECK: scf.if %[[FIRST]]
// CHECK: memref.store %{{.*}}[%[[NUMBER]]]
// CHECK-NOT: gpu.num_subgroups
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c2
module attributes {heddle.sizes = [{name = "g", low = 1, high = 8, placeholder = 4001}]} {
  func.func @main(%m: memref<40xf32>, %r: memref<1xf32>, %arena: memref<1024xi8> {heddle.arena}) {
    %g = heddle.size "g"
    %c1 = arith.constant 1 : index
    heddle.launch @few for %g args(%m) : index, memref<40xf32>
    heddle.launch @sum for %c1 args(%m, %r) : index, memref<40xf32>, memref<1xf32>
    return
  }
  func.func private @few(%g: index, %m: memref<40xf32>) {
    %zero = arith.constant 0.0 : f32
    scf.forall (%t) in (7) {
      memref.store %zero, %m[%t] : memref<40xf32>
    }
    return
  }
  func.func private @sum(%g: index, %m: memref<40xf32>, %r: memref<1xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c40 = arith.constant 40 : index
    %zero = arith.constant 0.0 : f32
    %parts = memref.alloc() : memref<40xf32>
    scf.forall (%t) in (40) {
      %x = memref.load %m[%t] : memref<40xf32>
      %part = memref.subview %parts[%t] [1] [1] : memref<40xf32> to memref<1xf32, strided<[1], offset: ?>>
      memref.store %x, %part[%c0] : memref<1xf32, strided<[1], offset: ?>>
    }
    %all = scf.for %i = %c0 to %c40 step %c1 iter_args(%so = %zero) -> (f32) {
      %x = memref.load %parts[%i] : memref<40xf32>
      %next = arith.addf %so, %x : f32
      scf.yield %next : f32
    }
    memref.store %all, %r[%c0] : memref<1xf32>
    scf.forall (%t) in (64) {
    }
    return
  }
}
