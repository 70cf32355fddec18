// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @tensors
func.func @tensors(%x: tensor<200x64xf32>, %tile: tensor<128x16xf32>, %i: index) {
  // CHECK: heddle.tile_copy %{{.*}}[%{{.*}}, %{{.*}}] into %{{.*}} : tensor<200x64xf32>, tensor<128x16xf32> -> tensor<128x16xf32>
  %0 = heddle.tile_copy %x[%i, %i] into %tile : tensor<200x64xf32>, tensor<128x16xf32> -> tensor<128x16xf32>
  return
}

// CHECK-LABEL: @buffers
func.func @buffers(%x: memref<200x64xf32>, %tile: memref<128x16xf32, #heddle.workgroup>, %i: index) {
  // CHECK: heddle.tile_copy %{{.*}}[%{{.*}}, %{{.*}}] valid(%{{.*}}, %{{.*}}) into %{{.*}} : memref<200x64xf32>, memref<128x16xf32, #heddle.workgroup>
  heddle.tile_copy %x[%i, %i] valid(%i, %i) into %tile : memref<200x64xf32>, memref<128x16xf32, #heddle.workgroup>
  return
}

// CHECK-LABEL: @rounded
func.func @rounded(%x: memref<200x64xf32>, %tile: memref<128x16xf16, #heddle.workgroup>, %i: index) {
  // CHECK: heddle.tile_copy {{.*}} : memref<200x64xf32>, memref<128x16xf16, #heddle.workgroup>
  heddle.tile_copy %x[%i, %i] into %tile : memref<200x64xf32>, memref<128x16xf16, #heddle.workgroup>
  return
}

// -----
func.func @c1_mixed(%x: tensor<200x64xf32>, %tile: memref<128x16xf32>, %i: index) {
  // expected-error@+1 {{expects two tensors and a result, or two buffers, found 'tensor<200x64xf32>' and 'memref<128x16xf32>' (C1)}}
  heddle.tile_copy %x[%i, %i] into %tile : tensor<200x64xf32>, memref<128x16xf32>
  return
}

// -----
func.func @c1_result(%x: tensor<200x64xf32>, %tile: tensor<128x16xf32>, %i: index) {
  // expected-error@+1 {{(C1)}}
  heddle.tile_copy %x[%i, %i] into %tile : tensor<200x64xf32>, tensor<128x16xf32>
  return
}

// -----
func.func @c2(%x: memref<200x64xf32>, %tile: memref<128x?xf32>, %i: index) {
  // expected-error@+1 {{expects a tile of static size that is not empty, found 'memref<128x?xf32>' (C2)}}
  heddle.tile_copy %x[%i, %i] into %tile : memref<200x64xf32>, memref<128x?xf32>
  return
}

// -----
func.func @c2_empty(%x: memref<200x64xf32>, %tile: memref<128x0xf32>, %i: index) {
  // expected-error@+1 {{expects a tile of static size that is not empty, found 'memref<128x0xf32>' (C2)}}
  heddle.tile_copy %x[%i, %i] into %tile : memref<200x64xf32>, memref<128x0xf32>
  return
}

// -----
func.func @c3_indices(%x: memref<200x64xf32>, %tile: memref<128x16xf32>, %i: index) {
  // expected-error@+1 {{expects two indices, and two numbers of valid rows and columns or none, found 1 and 0 (C3)}}
  heddle.tile_copy %x[%i] into %tile : memref<200x64xf32>, memref<128x16xf32>
  return
}

// -----
func.func @c3_valid(%x: memref<200x64xf32>, %tile: memref<128x16xf32>, %i: index) {
  // expected-error@+1 {{found 2 and 1 (C3)}}
  heddle.tile_copy %x[%i, %i] valid(%i) into %tile : memref<200x64xf32>, memref<128x16xf32>
  return
}

// -----
func.func @c4(%x: tensor<200x64xf32>, %tile: tensor<128x16xf32>, %i: index) {
  // expected-error@+1 {{expects buffers of an async copy, found tensors (C4)}}
  %0 = heddle.tile_copy async %x[%i, %i] into %tile : tensor<200x64xf32>, tensor<128x16xf32> -> tensor<128x16xf32>
  return
}
