// RUN: heddle-opt %s --heddle-kernels-to-gpu="threads=64" | FileCheck %s

// A buffer becomes private memory, which the driver can keep in registers, if each thread reads only elements that it
// wrote itself. Otherwise the buffer is in workgroup memory.
func.func @main(%m: memref<16x8xf32>) {
  %c1 = arith.constant 1 : index
  heddle.launch @own for %c1 args(%m) : index, memref<16x8xf32>
  heddle.launch @neighbours for %c1 args(%m) : index, memref<16x8xf32>
  heddle.launch @moving for %c1 args(%m) : index, memref<16x8xf32>
  return
}
// The mapped loops have 4 x 2 threads, so the workgroup has 8 threads, and the loop over 128 elements does not change
// this. Each thread keeps its 4 x 4 elements of the sums in private memory.
// CHECK-LABEL: gpu.func @own
// CHECK-SAME: known_block_size = array<i32: 8, 1, 1>
// CHECK: %[[OWN:.*]] = memref.alloca() : memref<4x4xf32>
// CHECK-NOT: memref.alloc(
// CHECK: memref.subview %[[OWN]][0, 0] [4, 4] [1, 1]
// CHECK: memref.subview %[[OWN]][3, 0] [1, 4] [1, 1] : memref<4x4xf32> to memref<4xf32
func.func private @own(%g: index, %m: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %pad = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<16x8xf32>
  scf.forall (%y, %x) in (4, 2) {
    %row = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %column = affine.apply affine_map<(d0) -> (d0 * 4)>(%x)
    %part = memref.subview %sums[%row, %column] [4, 4] [1, 1] : memref<16x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
    vector.transfer_write %zero, %part[%c0, %c0] {in_bounds = [true]} : vector<4xf32>, memref<4x4xf32, strided<[8, 1], offset: ?>>
  } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
  scf.forall (%y, %x) in (4, 2) {
    %row = affine.apply affine_map<(d0) -> (d0 * 4 + 3)>(%y)
    %column = affine.apply affine_map<(d0) -> (d0 * 4)>(%x)
    %part = memref.subview %sums[%row, %column] [1, 4] [1, 1] : memref<16x8xf32> to memref<4xf32, strided<[1], offset: ?>>
    %v = vector.transfer_read %part[%c0], %pad {in_bounds = [true]} : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
    vector.transfer_write %v, %m[%row, %column] {in_bounds = [true]} : vector<4xf32>, memref<16x8xf32>
  } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
  scf.forall (%t) in (128) {
  }
  return
}
// A thread reads values that another thread wrote, so the buffer is not private.
// CHECK-LABEL: gpu.func @neighbours
// CHECK-NOT: memref.alloca
// CHECK: memref.alloc() : memref<16xf32, #gpu.address_space<workgroup>>
func.func private @neighbours(%g: index, %m: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %shared = memref.alloc() : memref<16xf32>
  scf.forall (%t) in (16) {
    %part = memref.subview %shared[%t] [1] [1] : memref<16xf32> to memref<1xf32, strided<[1], offset: ?>>
    memref.store %zero, %part[%c0] : memref<1xf32, strided<[1], offset: ?>>
  }
  scf.forall (%t) in (16) {
    %other = affine.apply affine_map<(d0) -> (15 - d0)>(%t)
    %part = memref.subview %shared[%other] [1] [1] : memref<16xf32> to memref<1xf32, strided<[1], offset: ?>>
    %v = memref.load %part[%c0] : memref<1xf32, strided<[1], offset: ?>>
    memref.store %v, %m[%t, %c0] : memref<16x8xf32>
  }
  return
}
// Two buffers stay in workgroup memory. The index into the first buffer is the variable of a loop, and registers cannot
// be indexed by a variable. For the second buffer, each thread executes two of the 128 iterations, but a private buffer
// has room for the elements of one iteration.
// CHECK-LABEL: gpu.func @moving
// CHECK-NOT: memref.alloca
func.func private @moving(%g: index, %m: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.alloc() : memref<16x8xf32>
  scf.forall (%t) in (16) {
    %part = memref.subview %rows[%t, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    scf.for %i = %c0 to %c8 step %c1 {
      memref.store %zero, %part[%i] : memref<8xf32, strided<[1], offset: ?>>
    }
  }
  %many = memref.alloc() : memref<128xf32>
  scf.forall (%t) in (128) {
    %part = memref.subview %many[%t] [1] [1] : memref<128xf32> to memref<1xf32, strided<[1], offset: ?>>
    memref.store %zero, %part[%c0] : memref<1xf32, strided<[1], offset: ?>>
  }
  return
}
