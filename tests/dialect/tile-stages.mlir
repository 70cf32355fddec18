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
func.func @wait_c1() {
  // expected-error@+1 {{expects a number of pending groups from 0 to 2^31 - 1, found -1 (C1)}}
  heddle.tile_wait pending(-1)
  return
}

// -----
func.func @wait_c1_large() {
  // expected-error@+1 {{found 2147483648 (C1)}}
  heddle.tile_wait pending(2147483648)
  return
}

// -----
func.func @annotation(%x: memref<4xf32>) {
  // expected-error@+1 {{heddle.stages: belongs on a loop}}
  %c = memref.alloc() {heddle.stages = 3 : i64} : memref<4xf32>
  return
}
