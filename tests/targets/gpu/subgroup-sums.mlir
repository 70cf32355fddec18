// RUN: heddle-opt %s --heddle-kernels-to-gpu="threads=64" | FileCheck %s

// A loop that adds numbers which the threads of a workgroup wrote becomes sums over sub-groups.
func.func @main(%m: memref<40xf32>, %r: memref<1xf32>) {
  %c1 = arith.constant 1 : index
  heddle.launch @sum for %c1 args(%m, %r) : index, memref<40xf32>, memref<1xf32>
  heddle.launch @other for %c1 args(%m, %r) : index, memref<40xf32>, memref<1xf32>
  return
}
// Each thread keeps its number in a register. One thread of each sub-group writes the sum of the sub-group to workgroup
// memory, and all threads add these sums. The width of a sub-group is not known, so there is room for 64 sums.
// CHECK-LABEL: gpu.func @sum
// CHECK: memref.alloca() : memref<1xf32>
// CHECK-NOT: gpu.barrier
// CHECK: memref.store
// CHECK: gpu.barrier
// CHECK: %[[WROTE:.*]] = arith.cmpi ult, %{{.*}}, %c40
// CHECK: %[[PART:.*]] = arith.select %[[WROTE]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[SUM:.*]] = gpu.subgroup_reduce add %[[PART]] : (f32) -> f32
// CHECK: %[[FIRST:.*]] = gpu.subgroup_reduce minui
// CHECK: arith.cmpi eq, %{{.*}}, %[[FIRST]]
// CHECK: %[[SHARED:.*]] = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK: scf.if
// CHECK: %[[NUMBER:.*]] = gpu.subgroup_id
// CHECK: memref.store %[[SUM]], %[[SHARED]][%[[NUMBER]]]
// CHECK: gpu.barrier
// CHECK: %[[COUNT:.*]] = arith.maxui
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[COUNT]]
// CHECK: memref.load %[[SHARED]]
// CHECK: arith.addf
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
// Two loops stay: a loop of differences is not a sum, and unlike arith.maximumf, the maximum over a sub-group ignores
// NaN.
// CHECK-LABEL: gpu.func @other
// CHECK-NOT: gpu.subgroup_reduce
// CHECK: gpu.return
func.func private @other(%g: index, %m: memref<40xf32>, %r: memref<1xf32>) {
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
    %next = arith.subf %so, %x : f32
    scf.yield %next : f32
  }
  %largest = scf.for %i = %c0 to %c40 step %c1 iter_args(%so = %all) -> (f32) {
    %x = memref.load %parts[%i] : memref<40xf32>
    %next = arith.maximumf %so, %x : f32
    scf.yield %next : f32
  }
  memref.store %largest, %r[%c0] : memref<1xf32>
  return
}
