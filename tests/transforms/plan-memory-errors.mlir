// RUN: heddle-opt %s --split-input-file --heddle-plan-memory --verify-diagnostics

// The arena must have room for the largest size of each buffer, and %n has no upper bound.
func.func @main(%x: memref<4xf32>, %n: index) {
  // expected-error @below {{cannot plan memory: no upper bound is known for dimension 0}}
  %0 = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

// The loop yields the buffer %2. This buffer would still be in use when the next iteration writes its own buffer, which
// would be at the same offset.
func.func @main() {
  return
}
func.func private @k0(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = memref.alloc() : memref<4xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%last = %0) -> memref<4xf32> {
    // expected-error @below {{a buffer is used after the loop iteration that allocates it}}
    %2 = memref.alloc() : memref<4xf32>
    memref.copy %last, %2 : memref<4xf32> to memref<4xf32>
    scf.yield %2 : memref<4xf32>
  }
  memref.copy %1, %0 : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Before this pass, each result must have become an argument, the destination to which it is written.
// expected-error @below {{a result of @main was not written to its destination buffer}}
func.func @main(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}

// -----

func.func @main() {
  return
}
func.func private @k0() {
  // expected-error @below {{cannot plan memory for a buffer of type 'memref<4294967296x4294967296xf32>': it is too large}}
  %0 = memref.alloc() : memref<4294967296x4294967296xf32>
  return
}

// -----

// The product of the placeholders of three sizes does not fit into 64 bits.
module attributes {heddle.sizes = [{name = "s", low = 1, high = 9, placeholder = 3000017}, {name = "t", low = 1, high = 9, placeholder = 3000029},
                                   {name = "u", low = 1, high = 9, placeholder = 3000047}]} {
  func.func @main() {
    // expected-error @below {{cannot plan memory for a buffer of type 'memref<3000017x3000029x3000047xf32>': the placeholder for the product of its sizes does not fit into 64 bits}}
    %a = memref.alloc() : memref<3000017x3000029x3000047xf32>
    return
  }
}
