// RUN: heddle-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize | FileCheck %s

// A copy overwrites the buffer of its tile, which stays in workgroup memory, and reads the buffer of its source.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME: %[[X:.*]]: memref<200x64xf32>
// CHECK: %[[TILE:.*]] = memref.alloc() {{.*}}: memref<128x16xf32, #heddle.workgroup>
// CHECK-NOT: memref.copy
// CHECK: heddle.tile_copy %[[X]][%{{.*}}, %{{.*}}] into %[[TILE]]
// CHECK-NOT: memref.copy
func.func @copy(%x: tensor<200x64xf32>, %row: index, %column: index, %i: index) -> f32 {
  %tile = bufferization.alloc_tensor() {memory_space = #heddle.workgroup} : tensor<128x16xf32>
  %0 = heddle.tile_copy %x[%row, %column] into %tile : tensor<200x64xf32>, tensor<128x16xf32> -> tensor<128x16xf32>
  %1 = tensor.extract %0[%i, %i] : tensor<128x16xf32>
  return %1 : f32
}

// If a tile is also the source of the copy, the copy writes to a second buffer, whose old contents are not read.
// CHECK-LABEL: func.func @own_source(
// CHECK: %[[TILE:.*]] = memref.alloc()
// CHECK: memref.store
// CHECK: %[[OTHER:.*]] = memref.alloc()
// CHECK-NOT: memref.copy
// CHECK: heddle.tile_copy %[[TILE]][%{{.*}}, %{{.*}}] into %[[OTHER]]
func.func @own_source(%i: index, %x: f32) -> f32 {
  %tile = bufferization.alloc_tensor() {memory_space = #heddle.workgroup} : tensor<8x8xf32>
  %first = tensor.insert %x into %tile[%i, %i] : tensor<8x8xf32>
  %0 = heddle.tile_copy %first[%i, %i] into %first : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %1 = tensor.extract %0[%i, %i] : tensor<8x8xf32>
  return %1 : f32
}
