// RUN: heddle-opt %s --heddle-outline-tasks --canonicalize | FileCheck %s
// RUN: heddle-opt %s --heddle-outline-tasks=vector-bits=512 --canonicalize | FileCheck %s --check-prefix=WIDE

// A task computes its induction variables from its number. Constants and views are created inside the task.
// CHECK-LABEL: func.func private @k0_task0(
// CHECK-SAME: %[[TASK:.*]]: index, %[[SCRATCH:.*]]: memref<64xi8>, %[[X:.*]]: memref<4x6xf32>)
// CHECK: arith.remui %[[TASK]], %c3
// CHECK: arith.divui %[[TASK]], %c3
// CHECK: memref.store
// CHECK-LABEL: func.func private @k0(
// CHECK: heddle.dispatch @k0_task0 for %c12 in %{{.*}} scratch(%{{.*}}) args(%{{.*}})
func.func private @k0(%x: memref<4x6xf32>, %arena: memref<128xi8> {heddle.arena}) {
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9000 = arith.constant 9000 : index
  %scratch = memref.view %arena[%c64][] : memref<128xi8> to memref<64xi8>
  scf.forall (%i, %j) = (0, 0) to (4, 6) step (1, 2) {
    %s = memref.view %scratch[%c0][] : memref<64xi8> to memref<1xf32>
    %v = memref.load %s[%c0] : memref<1xf32>
    scf.for %k = %c0 to %c9000 step %c1 {
      memref.store %v, %x[%i, %j] : memref<4x6xf32>
    }
  }
  return
}

// A loop with one iteration is not divided into tasks, and neither is a loop with so little work that tasks would cost
// more time than they save.
// CHECK-LABEL: func.func private @k1(
// CHECK-NOT: dispatch
// CHECK: memref.store
func.func private @k1(%x: memref<4xf32>) {
  %v = arith.constant 1.0 : f32
  scf.forall (%i) in (1) {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  scf.forall (%i) in (4) {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}

// In the estimate of the work, the body of a loop whose bounds allow at most one iteration is counted once.
// CHECK-LABEL: func.func private @k2(
// CHECK-NOT: dispatch
// CHECK: return
func.func private @k2(%x: memref<16xf32>, %often: i1) {
  %v = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = arith.select %often, %c1, %c0 : index
  scf.forall (%i) in (16) {
    scf.for %k = %c0 to %trips step %c1 {
      memref.store %v, %x[%i] : memref<16xf32>
    }
  }
  return
}

// A loop whose number of iterations is a boolean repeats work in an exceptional case, for example if a result is not
// finite. Since this case is rare, the estimate does not count the loop.
// CHECK-LABEL: func.func private @k3(
// CHECK-NOT: dispatch
// CHECK: return
func.func private @k3(%x: memref<16xf32>, %wrong: i1) {
  %v = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100000 = arith.constant 100000 : index
  %trips = arith.index_castui %wrong : i1 to index
  scf.forall (%i) in (16) {
    scf.for %k = %c0 to %trips step %c1 {
      scf.for %j = %c0 to %c100000 step %c1 {
        memref.store %v, %x[%i] : memref<16xf32>
      }
    }
  }
  return
}

// The estimated work depends on the vector width of the CPU: an operation on 16 elements counts as several instructions
// or, with vectors of 512 bits (WIDE), as one.
// CHECK-LABEL: func.func private @k_vectors(
// CHECK: heddle.dispatch
// WIDE-LABEL: func.func private @k_vectors(
// WIDE-NOT: heddle.dispatch
func.func private @k_vectors(%x: memref<4x16xf32>, %arena: memref<128xi8> {heddle.arena}) {
  %v = arith.constant dense<1.0> : vector<16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3000 = arith.constant 3000 : index
  scf.forall (%i) in (4) {
    %sum = scf.for %k = %c0 to %c3000 step %c1 iter_args(%s = %v) -> (vector<16xf32>) {
      %next = arith.addf %s, %v : vector<16xf32>
      scf.yield %next : vector<16xf32>
    }
    vector.store %sum, %x[%i, %c0] : memref<4x16xf32>, vector<16xf32>
  }
  return
}

// A vector cannot be passed to a task. This vector was read from an argument that the function does not write, so each
// task reads it again.
// WIDE-LABEL: func.func private @reads_task0(
// CHECK-LABEL: func.func private @reads_task0(
// CHECK-SAME: %{{.*}}: index, %{{.*}}: memref<100000x16xf32>, %[[X:.*]]: memref<16xf32>)
// CHECK: vector.transfer_read %[[X]]
// CHECK-LABEL: func.func private @reads_task1(
// CHECK-SAME: %{{.*}}: index, %{{.*}}: memref<100000x16xf32>, %[[X:.*]]: memref<16xf32>)
// CHECK: vector.transfer_read %[[X]]
func.func private @reads(%x: memref<16xf32>, %y: memref<100000x16xf32>, %arena: memref<128xi8> {heddle.arena}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<16xf32>, vector<16xf32>
  scf.forall (%i) in (100000) {
    vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<16xf32>, memref<100000x16xf32>
  }
  scf.forall (%i) in (100000) {
    vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<16xf32>, memref<100000x16xf32>
  }
  return
}

// The function also writes the memory from which it read this vector, so a task might read changed elements. Therefore
// the elements of the vector are passed to the task one by one.
// CHECK-LABEL: func.func private @k_elements_task0(
// CHECK-SAME: %[[A:[a-z0-9]*]]: f32, %[[B:[a-z0-9]*]]: f32{{[,)]}}
// CHECK: %[[V:.*]] = vector.from_elements %[[A]], %[[B]] : vector<2xf32>
// CHECK: vector.transfer_write %[[V]]
// CHECK-LABEL: func.func private @k_elements(
// CHECK: %[[READ:.*]] = vector.transfer_read
// CHECK: %[[A:.*]] = vector.extract %[[READ]][0] : f32 from vector<2xf32>
// CHECK: %[[B:.*]] = vector.extract %[[READ]][1] : f32 from vector<2xf32>
// CHECK: heddle.dispatch @k_elements_task0{{.*}}%[[A]], %[[B]]
func.func private @k_elements(%x: memref<100000x2xf32>, %arena: memref<128xi8> {heddle.arena}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true]} : memref<100000x2xf32>, vector<2xf32>
  scf.forall (%i) in (100000) {
    vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<2xf32>, memref<100000x2xf32>
  }
  return
}
