// RUN: heddle-opt %s --pass-pipeline='builtin.module(func.func(heddle-lower-tile-products))' | FileCheck %s

// The sums of 2 x 3 tiles stay in registers during a loop over the steps. Tiles of the weight are loaded again for the
// second row of tiles, except for the one that the first row ended with. The third tile of columns lies in the second
// panel. %lines has a cache line for every 6 of the 32 steps, so each iteration of 16 steps prefetches three elements.
// CHECK-LABEL: func.func @group
// CHECK: %[[ROWS:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]]
// CHECK-COUNT-6: amx.tile_zero : !amx.tile<16x16xf32>
// CHECK-NOT: amx.tile_zero
// CHECK: scf.for %[[STEP:.*]] = %c0{{.*}} to %c32{{.*}} step %c16
// CHECK-COUNT-3: memref.prefetch %{{.*}}, read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK: amx.tile_load %[[ROWS]]
// CHECK: amx.tile_load %arg1[%c0{{.*}}, %[[STEP]], %c0{{.*}}] {{.*}} into !amx.tile<16x32xbf16>
// CHECK-NEXT: amx.tile_mulf
// CHECK: amx.tile_load %arg1[%c0{{.*}}, %[[STEP]], %c32{{.*}}]
// CHECK-NEXT: amx.tile_mulf
// CHECK: amx.tile_load %arg1[%c1{{.*}}, %[[STEP]], %c0{{.*}}]
// CHECK-NEXT: amx.tile_mulf
// CHECK: amx.tile_load %[[ROWS]]
// CHECK-NEXT: amx.tile_mulf
// CHECK: amx.tile_load %arg1[%c0{{.*}}, %[[STEP]], %c32{{.*}}]
// CHECK-NEXT: amx.tile_mulf
// CHECK: amx.tile_load %arg1[%c0{{.*}}, %[[STEP]], %c0{{.*}}]
// CHECK-NEXT: amx.tile_mulf
// CHECK: } {loop_annotation = #[[ROLLED:.*]]}
// CHECK-COUNT-6: amx.tile_store
// CHECK-NOT: amx.tile_store
func.func @group(%rows: memref<32x32x2xbf16>, %weight: memref<2x32x64xbf16>, %sums: memref<32x48xf32>, %lines: memref<6xbf16>) {
  heddle.tile_product %rows, %weight into %sums from_zero kind(#heddle.amx_bf16<steps = 16>)
    prefetch(%lines : memref<6xbf16>) every [6] locality 2 : memref<32x32x2xbf16>, memref<2x32x64xbf16>, memref<32x48xf32>
  return
}

// The weight has only the 8 steps of a single instruction, so there is no loop over steps. The sums start from the
// elements of the buffer.
// CHECK-LABEL: func.func @bytes
// CHECK-COUNT-3: amx.tile_load %arg2[{{.*}} into !amx.tile<16x16xi32>
// CHECK-NOT: scf.for
// CHECK-COUNT-3: amx.tile_muli %{{.*}}, %{{.*}} zext, %{{.*}} : !amx.tile<16x32xi8>, !amx.tile<8x64xi8>, !amx.tile<16x16xi32>
func.func @bytes(%rows: memref<16x8x4xi8>, %weight: memref<8x192xi8>, %sums: memref<16x48xi32>) {
  heddle.tile_product %rows, %weight into %sums kind(#heddle.amx_i8<steps = 8, unsigned = weight>)
    : memref<16x8x4xi8>, memref<8x192xi8>, memref<16x48xi32>
  return
}
