// RUN: heddle-opt %s --heddle-tiles-to-lanes="subgroup=0 pointers=false" --canonicalize --cse | FileCheck %s

// If the width of sub-groups is not known, the lanes that share a row exchange their results through workgroup memory.
// In a workgroup of two warps, 8 lanes of each of the warps share each row. Both reductions use the same buffer. With
// pointers=false, an access has indices in the whole buffer instead of in a view.
#rows = #heddle.fragments<#heddle.rows<f32, 8 x 4>, 1 x 2>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
// CHECK: #[[$NUMBER:.*]] = affine_map<()[s0, s1] -> (s0 + s1 * 8 - (s0 floordiv 8) * 8)>
gpu.module @device {
  // CHECK-LABEL: gpu.func @sums
  // CHECK-SAME: (%[[X:.*]]: memref<9x64xf32>
  gpu.func @sums(%x: memref<9x64xf32>, %first: index) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant -0.0 : f32
    %tile = memref.alloc() : memref<4x64xf32, #rows>
    %sum = memref.alloc() : memref<4xf32, #rows>
    %square = memref.alloc() : memref<4xf32, #rows>
    // CHECK: %[[PARTS:.*]] = memref.alloc() : memref<1x4x16xf32, #gpu.address_space<workgroup>>
    // CHECK-NOT: memref.reinterpret_cast
    // CHECK: vector.load %[[X]][%{{.*}}, %{{.*}}] : memref<9x64xf32>, vector<4xf32>
    heddle.tile_copy %x[%first, %c0] into %tile : memref<9x64xf32>, memref<4x64xf32, #rows>
    linalg.fill ins(%zero : f32) outs(%sum : memref<4xf32, #rows>)
    linalg.fill ins(%zero : f32) outs(%square : memref<4xf32, #rows>)
    // CHECK-NOT: gpu.shuffle
    // CHECK: %[[OWN:.*]] = affine.apply #[[$NUMBER]]()
    // CHECK: memref.store %{{.*}}, %[[PARTS]][%c0, %[[ROW:.*]], %[[OWN]]]
    // CHECK-NEXT: gpu.barrier
    // CHECK-COUNT-16: memref.load %[[PARTS]][%c0, %[[ROW]], %
    // CHECK-NOT: memref.load %[[PARTS]][
    linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
        ins(%tile : memref<4x64xf32, #rows>) outs(%sum : memref<4xf32, #rows>) {
    ^bb0(%element: f32, %sofar: f32):
      %y = arith.addf %sofar, %element : f32
      linalg.yield %y : f32
    }
    // CHECK: gpu.barrier
    // CHECK: memref.store %{{.*}}, %[[PARTS]]
    // CHECK-NEXT: gpu.barrier
    // CHECK-COUNT-16: memref.load %[[PARTS]]
    linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
        ins(%tile : memref<4x64xf32, #rows>) outs(%square : memref<4xf32, #rows>) {
    ^bb0(%element: f32, %sofar: f32):
      %p = arith.mulf %element, %element : f32
      %y = arith.addf %sofar, %p : f32
      linalg.yield %y : f32
    }
    // CHECK-NOT: memref.alloc()
    gpu.return
  }

  // A copy into workgroup memory also loads its chunks at indices in the whole buffer.
  // CHECK-LABEL: gpu.func @copy
  // CHECK-SAME: (%[[X:.*]]: memref<64x24xf32>
  gpu.func @copy(%x: memref<64x24xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %sums = memref.alloc() : memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 1 x 1>>
    %tile = memref.alloc() : memref<16x4xf32, #heddle.workgroup>
    // CHECK-NOT: memref.reinterpret_cast
    // CHECK: vector.load %[[X]][%{{.*}}, %c8] : memref<64x24xf32>, vector<4xf32>
    heddle.tile_copy %x[%c0, %c8] into %tile : memref<64x24xf32>, memref<16x4xf32, #heddle.workgroup>
    gpu.return
  }
}
