// RUN: heddle-opt %s --heddle-kernels-to-gpu="threads=64" | FileCheck %s

// Two buffers in workgroup memory share an allocation if one is used only after the last use of the other. So the five
// buffers need three allocations: %long is in use until the end, and of the other buffers, at most two are in use at
// the same time, such as %first and %second.
// CHECK-LABEL: gpu.func @kernel
// CHECK-COUNT-3: memref.alloc() : memref<16xf32
// CHECK-NOT: memref.alloc()
func.func @main(%m: memref<16xf32>) {
  %c1 = arith.constant 1 : index
  heddle.launch @kernel for %c1 args(%m) : index, memref<16xf32>
  return
}
func.func private @kernel(%g: index, %m: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %long = memref.alloc() : memref<16xf32>
  scf.forall (%t) in (1) { memref.copy %m, %long : memref<16xf32> to memref<16xf32> }
  scf.for %i = %c0 to %c2 step %c1 {
    %first = memref.alloc() : memref<16xf32>
    %second = memref.alloc() : memref<16xf32>
    %third = memref.alloc() : memref<16xf32>
    scf.forall (%t) in (1) { memref.copy %m, %first : memref<16xf32> to memref<16xf32> }
    scf.forall (%t) in (1) { memref.copy %first, %second : memref<16xf32> to memref<16xf32> }
    scf.forall (%t) in (1) { memref.copy %second, %third : memref<16xf32> to memref<16xf32> }
    scf.forall (%t) in (1) { memref.copy %third, %m : memref<16xf32> to memref<16xf32> }
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %fourth = memref.alloc() : memref<16xf32>
    scf.forall (%t) in (1) { memref.copy %m, %fourth : memref<16xf32> to memref<16xf32> }
    scf.forall (%t) in (1) { memref.copy %fourth, %m : memref<16xf32> to memref<16xf32> }
  }
  scf.forall (%t) in (1) { memref.copy %long, %m : memref<16xf32> to memref<16xf32> }
  return
}
