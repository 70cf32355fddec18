// RUN: heddle-opt %s --split-input-file --heddle-outline-tasks --verify-diagnostics

// The lower bound of the parallel loop is an argument of the function, so the number of tasks cannot be computed from
// the sizes of a call.
func.func private @k0(%x: memref<4xf32>, %n: index) {
  %v = arith.constant 1.0 : f32
  // expected-error @below {{expected constant lower bounds and steps, and loops from 0 with step 1 where the upper bound is not constant}}
  scf.forall (%i) = (%n) to (4) step (1) {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}

// -----

// The dispatch of tasks reads the executor from the arena, and this function has no arena.
func.func private @k0(%x: memref<100000xf32>) {
  %v = arith.constant 1.0 : f32
  // expected-error @below {{the function of the loop has no arena: run stage plan first}}
  scf.forall (%i) in (100000) {
    memref.store %v, %x[%i] : memref<100000xf32>
  }
  return
}
