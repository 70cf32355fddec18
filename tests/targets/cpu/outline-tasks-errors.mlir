// RUN: heddle-opt %s --split-input-file --heddle-outline-tasks --verify-diagnostics

func.func private @k0(%x: memref<4xf32>, %n: index) {
  %v = arith.constant 1.0 : f32
  // expected-error @below {{expected bounds that depend on sizes only}}
  scf.forall (%i) = (%n) to (4) step (1) {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}

// -----

func.func private @k0(%x: memref<100000xf32>) {
  %v = arith.constant 1.0 : f32
  // expected-error @below {{its function has no arena: run stage plan first}}
  scf.forall (%i) in (100000) {
    memref.store %v, %x[%i] : memref<100000xf32>
  }
  return
}

// -----

// What is read of memory that is written as well may be another vector by then.
func.func private @k0(%x: memref<100000x16xf32>, %arena: memref<128xi8> {heddle.arena}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true]} : memref<100000x16xf32>, vector<16xf32>
  // expected-error @below {{cannot pass a value of type 'vector<16xf32>' to a task}}
  scf.forall (%i) in (100000) {
    vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<16xf32>, memref<100000x16xf32>
  }
  return
}
