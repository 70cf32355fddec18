// RUN: heddle-opt %s --heddle-outline-launches --split-input-file --verify-diagnostics

// Loads and stores outside of parallel loops become a launch of one workgroup (outline-launches.mlir), but an
// allocation does not.
func.func @serial(%x: memref<7xf32>) {
  // expected-error@+1 {{is outside of parallel loops: no thread of a device would execute this operation}}
  %y = memref.alloc() : memref<7xf32>
  return
}

// -----

// The arguments of a kernel are buffers, and not scalars such as %v.
func.func @scalar(%x: memref<7xf32>, %v: f32) {
  // expected-error@+1 {{cannot pass a value of type 'f32' to a device}}
  scf.forall (%i) in (7) {
    memref.store %v, %x[%i] : memref<7xf32>
  }
  return
}

// -----

// The number of iterations must be a constant or depend on sizes of the call. %n is neither.
func.func @count(%x: memref<7xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{cannot pass a value of type 'index' to a device}}
  scf.forall (%i) in (%n) {
    memref.store %zero, %x[%i] : memref<7xf32>
  }
  return
}

// -----

// A loop whose upper bound is not constant must begin at 0; this loop begins at 1.
func.func @bounds(%x: memref<7xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{expected constant lower bounds and steps, and loops from 0 with step 1 where the upper bound is not constant}}
  scf.forall (%i) = (1) to (%n) step (1) {
    memref.store %zero, %x[%i] : memref<7xf32>
  }
  return
}
