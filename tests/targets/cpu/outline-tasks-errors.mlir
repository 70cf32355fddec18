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
