// RUN: heddle-opt %s --heddle-pipeline-tiles -split-input-file -verify-diagnostics

func.func @number(%c0: index, %c1: index, %n: index) {
  // expected-error@+1 {{expects an scf.for with a positive number of stages}}
  scf.for %k = %c0 to %n step %c1 {
  } {heddle.stages = 0 : i64}
  return
}

// -----
func.func @no_copy(%c0: index, %c1: index, %n: index) {
  // expected-error@+1 {{has stages, but copies no tile}}
  scf.for %k = %c0 to %n step %c1 {
  } {heddle.stages = 2 : i64}
  return
}

// -----
func.func @step(%x: memref<32x16xf32>, %c0: index, %n: index) {
  // expected-error@+1 {{has stages, but its step is not a positive constant}}
  scf.for %k = %c0 to %n step %n {
    %tile = memref.alloc() : memref<32x4xf32, #heddle.workgroup>
    heddle.tile_copy %x[%c0, %k] into %tile : memref<32x16xf32>, memref<32x4xf32, #heddle.workgroup>
  } {heddle.stages = 2 : i64}
  return
}

// -----
func.func @target(%x: memref<32x16xf32>, %tile: memref<32x4xf32, #heddle.workgroup>, %c0: index, %n: index) {
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    // expected-error@+1 {{has stages, but its target is not a whole tile in workgroup memory}}
    heddle.tile_copy %x[%c0, %k] into %tile : memref<32x16xf32>, memref<32x4xf32, #heddle.workgroup>
  } {heddle.stages = 2 : i64}
  return
}

// -----
// The step reads what the previous step copied.
func.func @read_before(%x: memref<32x16xf32>, %sums: memref<32x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>,
                       %right: memref<4x32xf32, #heddle.workgroup>, %c0: index, %n: index) {
  %c1 = arith.constant 1 : index
  %tile = memref.alloc() : memref<32x4xf32, #heddle.workgroup>
  scf.for %k = %c0 to %n step %c1 {
    // expected-error@+1 {{accesses a tile with stages before the loop's step has copied it, or outside of the loop}}
    linalg.matmul ins(%tile, %right : memref<32x4xf32, #heddle.workgroup>, memref<4x32xf32, #heddle.workgroup>)
                  outs(%sums : memref<32x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>)
    heddle.tile_copy %x[%c0, %k] into %tile : memref<32x16xf32>, memref<32x4xf32, #heddle.workgroup>
  } {heddle.stages = 2 : i64}
  return
}

// -----
func.func @from_memory(%x: memref<32x16xf32>, %rows: memref<16xindex>, %c0: index, %n: index) {
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %tile = memref.alloc() : memref<32x4xf32, #heddle.workgroup>
    // expected-error@+1 {{accesses memory, but the position of a copy in a loop with stages depends on it, which is not supported}}
    %row = memref.load %rows[%k] : memref<16xindex>
    heddle.tile_copy %x[%row, %c0] into %tile : memref<32x16xf32>, memref<32x4xf32, #heddle.workgroup>
  } {heddle.stages = 2 : i64}
  return
}

// -----
func.func @carried(%x: memref<32x16xf32>, %c0: index, %n: index) {
  %c1 = arith.constant 1 : index
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%at = %c0) -> index {
    %tile = memref.alloc() : memref<32x4xf32, #heddle.workgroup>
    // expected-error@+1 {{has stages, but depends on the step before}}
    heddle.tile_copy %x[%c0, %at] into %tile : memref<32x16xf32>, memref<32x4xf32, #heddle.workgroup>
    %next = arith.addi %at, %c1 : index
    scf.yield %next : index
  } {heddle.stages = 2 : i64}
  return
}

// -----
// The copy of a later step begins before this step, so it would not read what this step writes.
func.func @writes(%x: memref<32x16xf32>, %zero: f32, %c0: index, %n: index) {
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %tile = memref.alloc() : memref<32x4xf32, #heddle.workgroup>
    heddle.tile_copy %x[%c0, %k] into %tile : memref<32x16xf32>, memref<32x4xf32, #heddle.workgroup>
    // expected-error@+1 {{writes to memory in a loop with stages, which must write only to tiles}}
    memref.store %zero, %x[%c0, %k] : memref<32x16xf32>
  } {heddle.stages = 2 : i64}
  return
}

// -----
// Each of the two values is the other value of the step before, so no step computes it.
func.func @swaps(%x: memref<32x16xf32>, %sums: memref<32x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>,
                 %right: memref<4x32xf32, #heddle.workgroup>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  // expected-error@+1 {{has stages, but yields a value that its step does not compute}}
  %last:2 = scf.for %k = %c0 to %c16 step %c4 iter_args(%i = %c0, %j = %c4) -> (index, index) {
    %tile = memref.alloc() : memref<32x4xf32, #heddle.workgroup>
    heddle.tile_copy %x[%c0, %k] into %tile : memref<32x16xf32>, memref<32x4xf32, #heddle.workgroup>
    linalg.matmul ins(%tile, %right : memref<32x4xf32, #heddle.workgroup>, memref<4x32xf32, #heddle.workgroup>)
                  outs(%sums : memref<32x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>)
    scf.yield %j, %i : index, index
  } {heddle.stages = 3 : i64}
  return %last#0, %last#1 : index, index
}
