// RUN: heddle-opt %s --heddle-tiles-to-lanes --canonicalize --cse | FileCheck %s

// One warp computes 16 x 24 sums with a depth of 16, by three matrix instructions.
#sums = #heddle.fragments<#heddle.mma<bf16>, 1 x 1>
gpu.module @device {
  // CHECK-LABEL: gpu.func @product
  gpu.func @product(%x: memref<16x16xbf16>, %w: memref<16x24xf32>, %out: memref<16x24xf32>) kernel {
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() : memref<16x24xf32, #sums>
    %left = memref.alloc() : memref<16x16xbf16, #heddle.workgroup>
    %right = memref.alloc() : memref<16x24xbf16, #heddle.workgroup>
    // The tile is swizzled: the index of a chunk is combined (xor) with bits of the row's index.
    // CHECK: %[[CHUNK:.*]] = vector.load %{{.*}} : memref<16x8xbf16, strided<[16, 1], offset: ?>>, vector<8xbf16>
    // CHECK: arith.xori
    // CHECK: vector.store %[[CHUNK]], %{{.*}} : memref<16x16xbf16, {{.*}}#gpu.address_space<workgroup>>, vector<8xbf16>
    heddle.tile_copy %x[%c0, %c0] into %left : memref<16x16xbf16>, memref<16x16xbf16, #heddle.workgroup>
    // Elements are rounded before they are stored.
    // CHECK: vector.load {{.*}}, vector<4xf32>
    // CHECK: arith.truncf {{.*}} : vector<4xf32> to vector<4xbf16>
    // CHECK: vector.store {{.*}} : memref<16x24xbf16, {{.*}}#gpu.address_space<workgroup>>, vector<4xbf16>
    heddle.tile_copy %w[%c0, %c0] into %right : memref<16x24xf32>, memref<16x24xbf16, #heddle.workgroup>
    // Two of the three right factors are loaded at once.
    // CHECK: gpu.barrier
    // CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false} : {{.*}} -> vector<4x2xbf16>
    // CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true} : {{.*}} -> vector<4x2xbf16>
    // CHECK-COUNT-2: nvvm.mma.sync
    // CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 2 : i32, transpose = true} : {{.*}} -> vector<2x2xbf16>
    // CHECK: nvvm.mma.sync
    // CHECK-NOT: nvvm.mma.sync
    linalg.matmul ins(%left, %right : memref<16x16xbf16, #heddle.workgroup>, memref<16x24xbf16, #heddle.workgroup>)
                  outs(%tile : memref<16x24xf32, #sums>)
    // Neighbouring elements of a row are stored together.
    // CHECK-COUNT-6: vector.store {{.*}} : memref<16x24xf32>, vector<2xf32>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%tile : memref<16x24xf32, #sums>) outs(%out : memref<16x24xf32>) {
    ^bb0(%sum: f32, %old: f32):
      linalg.yield %sum : f32
    }
    gpu.return
  }
}
