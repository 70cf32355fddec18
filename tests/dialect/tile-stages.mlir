// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @stages
func.func @stages(%x: memref<200x64xf32>, %tile: memref<128x16xf32, #heddle.workgroup>, %i: index) {
  // CHECK: heddle.tile_copy async %{{.*}}[%{{.*}}, %{{.*}}] valid(%{{.*}}, %{{.*}}) into %{{.*}} : memref<200x64xf32>, memref<128x16xf32, #heddle.workgroup>
  heddle.tile_copy async %x[%i, %i] valid(%i, %i) into %tile : memref<200x64xf32>, memref<128x16xf32, #heddle.workgroup>
  // CHECK: heddle.tile_commit
  heddle.tile_commit
  // CHECK: heddle.tile_wait pending(2)
  heddle.tile_wait pending(2)
  return
}

// -----
func.func @copy_c4(%x: tensor<200x64xf32>, %tile: tensor<128x16xf32>, %i: index) {
  // expected-error@+1 {{expects buffers of an async copy, found tensors (C4)}}
  %0 = heddle.tile_copy async %x[%i, %i] into %tile : tensor<200x64xf32>, tensor<128x16xf32> -> tensor<128x16xf32>
  return
}

// -----
func.func @wait_c1() {
  // expected-error@+1 {{attribute 'pending' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  heddle.tile_wait pending(-1)
  return
}

// -----
func.func @annotation(%x: memref<4xf32>) {
  // expected-error@+1 {{heddle.stages: belongs on a loop}}
  %c = memref.alloc() {heddle.stages = 3 : i64} : memref<4xf32>
  return
}
