// RUN: heddle-opt %s --heddle-stream-results | FileCheck %s

// The function has the attribute heddle.stream_results and writes its result once. The code of a task gets two
// versions: one with nontemporal stores, for a result whose address is a multiple of the vector size, and one for other
// addresses. Where an iteration reads its rows for the last time, the rows of the next iteration are prefetched.
// CHECK-LABEL: func.func @doubled(
// CHECK-SAME: %[[X:.*]]: memref<64x32xf32>, %[[Y:.*]]: memref<64x32xf32>) {
// CHECK: scf.forall
// CHECK: %[[START:.*]] = memref.extract_aligned_pointer_as_index %[[Y]]
// CHECK: %[[REST:.*]] = arith.remui %[[START]], %c64
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if %[[ALIGNED]]
// CHECK: %[[NEXT:.*]] = arith.minui
// CHECK: %[[NEXT_VIEW:.*]] = memref.subview %[[X]][%[[NEXT]], 0]
// CHECK: scf.for %[[COLUMN:.*]] =
// CHECK: memref.prefetch %[[NEXT_VIEW]][%c0{{.*}}, %[[COLUMN]]], read, locality<2>, data
// CHECK: vector.transfer_write {{.*}} {heddle.nontemporal, in_bounds = [true]}
// CHECK: else
// CHECK-NOT: heddle.nontemporal
// CHECK: return
func.func @doubled(%x: memref<64x32xf32>, %y: memref<64x32xf32>) attributes {heddle.stream_results} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %f0 = arith.constant 0.0 : f32
  scf.forall (%task) in (2) {
    %first = arith.muli %task, %c32 : index
    %part = memref.subview %y[%first, 0] [32, 32] [1, 1] : memref<64x32xf32> to memref<32x32xf32, strided<[32, 1], offset: ?>>
    scf.for %row = %c0 to %c32 step %c1 {
      %from = memref.subview %x[%row, 0] [1, 32] [1, 1] : memref<64x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
      scf.for %column = %c0 to %c32 step %c16 {
        %v = vector.transfer_read %from[%c0, %column], %f0 {in_bounds = [true]} : memref<1x32xf32, strided<[32, 1], offset: ?>>, vector<16xf32>
        %w = arith.addf %v, %v : vector<16xf32>
        vector.transfer_write %w, %part[%row, %column] {in_bounds = [true]} : vector<16xf32>, memref<32x32xf32, strided<[32, 1], offset: ?>>
      }
    }
  }
  return
}

// With rows of 33 elements, most vectors do not begin at a multiple of their size, so there are no nontemporal stores.
// CHECK-LABEL: func.func @misplaced(
// CHECK-NOT: scf.if
func.func @misplaced(%x: memref<64x33xf32>, %y: memref<64x33xf32>) attributes {heddle.stream_results} {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  scf.forall (%row) in (64) {
    %v = vector.transfer_read %x[%row, %c0], %f0 {in_bounds = [true]} : memref<64x33xf32>, vector<16xf32>
    vector.transfer_write %v, %y[%row, %c0] {in_bounds = [true]} : vector<16xf32>, memref<64x33xf32>
  }
  return
}

// The function reads this result again. Therefore its stores are not nontemporal, and the result stays in the caches.
// CHECK-LABEL: func.func @read_again(
// CHECK-NOT: scf.if
func.func @read_again(%x: memref<64x32xf32>, %y: memref<64x32xf32>) attributes {heddle.stream_results} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %f0 = arith.constant 0.0 : f32
  scf.forall (%row) in (64) {
    %v = vector.transfer_read %x[%row, %c0], %f0 {in_bounds = [true]} : memref<64x32xf32>, vector<16xf32>
    vector.transfer_write %v, %y[%row, %c0] {in_bounds = [true]} : vector<16xf32>, memref<64x32xf32>
    %w = vector.transfer_read %y[%row, %c0], %f0 {in_bounds = [true]} : memref<64x32xf32>, vector<16xf32>
    vector.transfer_write %w, %y[%row, %c16] {in_bounds = [true]} : vector<16xf32>, memref<64x32xf32>
  }
  return
}

// A function without the attribute heddle.stream_results does not change.
// CHECK-LABEL: func.func @cached(
// CHECK-NOT: scf.if
func.func @cached(%x: memref<64x32xf32>, %y: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  scf.forall (%row) in (64) {
    %v = vector.transfer_read %x[%row, %c0], %f0 {in_bounds = [true]} : memref<64x32xf32>, vector<16xf32>
    vector.transfer_write %v, %y[%row, %c0] {in_bounds = [true]} : vector<16xf32>, memref<64x32xf32>
  }
  return
}

// The widest vector that is stored determines the alignment of the result that the task checks: 64 bytes.
// CHECK-LABEL: func.func @mixed(
// CHECK: arith.remui %{{.*}}, %c64
// CHECK-COUNT-2: heddle.nontemporal
func.func @mixed(%x: memref<64x32xf32>, %y: memref<64x32xf32>) attributes {heddle.stream_results} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %f0 = arith.constant 0.0 : f32
  scf.forall (%row) in (64) {
    %v = vector.transfer_read %x[%row, %c0], %f0 {in_bounds = [true]} : memref<64x32xf32>, vector<8xf32>
    vector.transfer_write %v, %y[%row, %c8] {in_bounds = [true]} : vector<8xf32>, memref<64x32xf32>
    %w = vector.transfer_read %x[%row, %c16], %f0 {in_bounds = [true]} : memref<64x32xf32>, vector<16xf32>
    vector.transfer_write %w, %y[%row, %c16] {in_bounds = [true]} : vector<16xf32>, memref<64x32xf32>
  }
  return
}

// The vectors have 48 bytes. This is not a power of two and so not an alignment. Therefore nothing changes.
// CHECK-LABEL: func.func @twelve(
// CHECK-NOT: scf.if
func.func @twelve(%x: memref<64x24xf32>, %y: memref<64x24xf32>) attributes {heddle.stream_results} {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  scf.forall (%row) in (64) {
    %v = vector.transfer_read %x[%row, %c0], %f0 {in_bounds = [true]} : memref<64x24xf32>, vector<12xf32>
    vector.transfer_write %v, %y[%row, %c0] {in_bounds = [true]} : vector<12xf32>, memref<64x24xf32>
  }
  return
}
