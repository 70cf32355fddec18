// RUN: heddle-opt %s --heddle-kernels-to-gpu --split-input-file --verify-diagnostics

// Kernels compute indices in 32 bits, so a buffer has fewer than 2^31 elements.
func.func @main(%m: memref<3000000000xi8>) {
  %c8 = arith.constant 8 : index
  // expected-error@+1 {{a buffer has 3000000000 elements, but kernels of a device support at most 2147483647}}
  heddle.launch @large for %c8 args(%m) : index, memref<3000000000xi8>
  return
}
func.func private @large(%g: index, %m: memref<3000000000xi8>) {
  return
}

// -----

// If a size lies in a range, the largest size counts.
module attributes {heddle.sizes = [{name = "rows", low = 1, high = 40000000, placeholder = 4001}]} {
  func.func @main(%arena: memref<256xi8> {heddle.arena}, %m: memref<4001x64xi8>) {
    %c8 = arith.constant 8 : index
    // expected-error@+1 {{a buffer has 2560000000 elements, but kernels of a device support at most 2147483647}}
    heddle.launch @large for %c8 args(%m) : index, memref<4001x64xi8>
    return
  }
  func.func private @large(%g: index, %m: memref<4001x64xi8>) {
    return
  }
}

// -----

// A copy outside of loops over threads would be executed by all threads at once. Only stores of scalars and vectors are
// supported there (one-thread-writes.mlir).
func.func @main(%m: memref<8xf32>) {
  %c8 = arith.constant 8 : index
  heddle.launch @serial for %c8 args(%m) : index, memref<8xf32>
  return
}
func.func private @serial(%g: index, %m: memref<8xf32>) {
  %from = memref.subview %m[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %to = memref.subview %m[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  // expected-error@+1 {{writes to memory outside of loops over threads, where every thread would execute the write}}
  memref.copy %from, %to : memref<4xf32, strided<[1]>> to memref<4xf32, strided<[1], offset: 4>>
  return
}

// -----

// In a kernel that has tiles, all threads of a workgroup execute each operation that is not on a tile.
func.func @main(%m: memref<8xf32>) {
  %c8 = arith.constant 8 : index
  heddle.launch @loop for %c8 args(%m) : index, memref<8xf32>
  return
}
func.func private @loop(%g: index, %m: memref<8xf32>) {
  %tile = memref.alloc() : memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 1 x 1>>
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{a kernel that has tiles must not contain a loop over threads}}
  scf.forall (%i) in (8) {
    %x = memref.load %m[%i] : memref<8xf32>
  }
  return
}

// -----

func.func @main(%m: memref<8xf32>) {
  %c8 = arith.constant 8 : index
  heddle.launch @writes for %c8 args(%m) : index, memref<8xf32>
  return
}
func.func private @writes(%g: index, %m: memref<8xf32>) {
  %tile = memref.alloc() : memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 1 x 1>>
  %x = arith.constant 0.0 : f32
  // expected-error@+1 {{in a kernel that has tiles, only operations on tiles may write to memory: every thread would execute this write}}
  memref.store %x, %m[%g] : memref<8xf32>
  return
}

// -----

func.func @main(%m: memref<8xf32>) {
  %c8 = arith.constant 8 : index
  heddle.launch @buffer for %c8 args(%m) : index, memref<8xf32>
  return
}
func.func private @buffer(%g: index, %m: memref<8xf32>) {
  %tile = memref.alloc() : memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 1 x 1>>
  // expected-error@+1 {{a kernel that has tiles must not allocate a buffer that is not a tile}}
  %own = memref.alloc() : memref<8xf32>
  return
}

// -----

func.func @main(%m: memref<8xf32>) {
  %c8 = arith.constant 8 : index
  heddle.launch @in_memory for %c8 args(%m) : index, memref<8xf32>
  return
}
// expected-error@+1 {{the kernel has tiles in workgroup memory but none in registers; tiles in registers determine the number of threads}}
func.func private @in_memory(%g: index, %m: memref<8xf32>) {
  %tile = memref.alloc() : memref<16x32xf32, #heddle.workgroup>
  return
}

// -----

func.func @main(%m: memref<8xf32>) {
  %c8 = arith.constant 8 : index
  heddle.launch @large for %c8 args(%m) : index, memref<8xf32>
  return
}
// expected-error@+1 {{the kernel needs a workgroup of 512 threads, but the device allows 256}}
func.func private @large(%g: index, %m: memref<8xf32>) {
  %tile = memref.alloc() : memref<256x64xf32, #heddle.fragments<#heddle.fma<f32>, 8 x 2>>
  return
}
