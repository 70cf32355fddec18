// RUN: heddle-opt %s --heddle-tiles-to-lanes --canonicalize --cse | FileCheck %s

// A workgroup of two warps computes 32 x 32 sums; a lane has one block of 4 x 4 sums.
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  // CHECK-LABEL: gpu.func @product
  // CHECK-SAME: heddle.lane_registers = 128
  gpu.func @product(%x: memref<64x24xf32>, %w: memref<24x96xf32>, %bias: memref<96xf32>, %out: memref<64x96xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c24 = arith.constant 24 : index
    %zero = arith.constant 0.0 : f32
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    linalg.fill ins(%zero : f32) outs(%tile : memref<32x32xf32, #sums>)
    // CHECK: %[[SUMS:.*]] = memref.alloca() : memref<16xf32>
    // CHECK-COUNT-16: memref.store
    // The tiles of one step are copied after the products of the previous step.
    // CHECK: scf.for
    scf.for %k = %c0 to %c24 step %c4 {
      %left = memref.alloc() : memref<32x4xf32, #heddle.workgroup>
      %right = memref.alloc() : memref<4x32xf32, #heddle.workgroup>
      // CHECK: scf.if {{.*}} -> (vector<4xf32>)
      // CHECK: vector.load %{{.*}} : memref<32x4xf32, strided<[24, 1], offset: ?>>, vector<4xf32>
      // CHECK: gpu.barrier
      // CHECK: vector.store %{{.*}} : memref<32x4xf32, {{.*}}#gpu.address_space<workgroup>>, vector<4xf32>
      heddle.tile_copy %x[%c0, %k] into %left : memref<64x24xf32>, memref<32x4xf32, #heddle.workgroup>
      // CHECK-NOT: gpu.barrier
      // CHECK: vector.store %{{.*}} : memref<4x32xf32, {{.*}}#gpu.address_space<workgroup>>, vector<4xf32>
      heddle.tile_copy %w[%k, %c0] into %right : memref<24x96xf32>, memref<4x32xf32, #heddle.workgroup>
      // CHECK: gpu.barrier
      // CHECK-COUNT-8: vector.load
      // CHECK-COUNT-64: math.fma
      // CHECK-NOT: math.fma
      linalg.matmul ins(%left, %right : memref<32x4xf32, #heddle.workgroup>, memref<4x32xf32, #heddle.workgroup>)
                    outs(%tile : memref<32x32xf32, #sums>)
    }
    // Only the first 30 rows of the tile are stored. The columns are whole vectors. The bias is the same in all rows,
    // so it is loaded once.
    // CHECK: vector.load %{{.*}} : memref<96xf32>, vector<4xf32>
    // CHECK-NOT: memref<96xf32>
    // CHECK: scf.if
    // CHECK: vector.store %{{.*}} : memref<64x96xf32>, vector<4xf32>
    %part = memref.subview %tile[0, 0] [30, 32] [1, 1] : memref<32x32xf32, #sums> to memref<30x32xf32, strided<[32, 1]>, #sums>
    %columns = memref.subview %bias[32] [32] [1] : memref<96xf32> to memref<32xf32, strided<[1], offset: 32>>
    %place = memref.subview %out[0, 32] [30, 32] [1, 1] : memref<64x96xf32> to memref<30x32xf32, strided<[96, 1], offset: 32>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%part, %columns : memref<30x32xf32, strided<[32, 1]>, #sums>, memref<32xf32, strided<[1], offset: 32>>)
        outs(%place : memref<30x32xf32, strided<[96, 1], offset: 32>>) {
    ^bb0(%sum: f32, %b: f32, %old: f32):
      %y = arith.addf %sum, %b : f32
      linalg.yield %y : f32
    }
    // CHECK-NOT: linalg
    // CHECK-NOT: heddle
    gpu.return
  }

  // The numbers of valid rows and columns also need registers.
  // CHECK-LABEL: gpu.func @partial
  // CHECK-SAME: heddle.lane_registers = 160
  gpu.func @partial(%x: memref<30x24xf32>, %w: memref<24x32xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c30 = arith.constant 30 : index
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    %left = memref.alloc() : memref<32x4xf32, #heddle.workgroup>
    %right = memref.alloc() : memref<4x32xf32, #heddle.workgroup>
    heddle.tile_copy %x[%c0, %c0] valid(%c30, %c4) into %left : memref<30x24xf32>, memref<32x4xf32, #heddle.workgroup>
    heddle.tile_copy %w[%c0, %c0] into %right : memref<24x32xf32>, memref<4x32xf32, #heddle.workgroup>
    linalg.matmul ins(%left, %right : memref<32x4xf32, #heddle.workgroup>, memref<4x32xf32, #heddle.workgroup>)
                  outs(%tile : memref<32x32xf32, #sums>)
    gpu.return
  }

  // The six steps along the depth of the factors become a loop of two iterations with three steps each. Rows of 23
  // elements are copied element by element, and the addresses and conditions of these copies need more registers.
  // CHECK-LABEL: gpu.func @rolled
  // CHECK-SAME: heddle.lane_registers = 256
  gpu.func @rolled(%x: memref<32x23xf32>, %w: memref<24x32xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c23 = arith.constant 23 : index
    %c32 = arith.constant 32 : index
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    %left = memref.alloc() : memref<32x24xf32, #heddle.workgroup>
    %right = memref.alloc() : memref<24x32xf32, #heddle.workgroup>
    // CHECK: memref.load %{{.*}} : memref<32x23xf32>
    heddle.tile_copy %x[%c0, %c0] valid(%c32, %c23) into %left : memref<32x23xf32>, memref<32x24xf32, #heddle.workgroup>
    heddle.tile_copy %w[%c0, %c0] into %right : memref<24x32xf32>, memref<24x32xf32, #heddle.workgroup>
    // CHECK: scf.for {{.*}} to %c24 step %c12
    // CHECK-COUNT-192: math.fma
    // CHECK-NOT: math.fma
    // CHECK: llvm.loop_annotation
    linalg.matmul ins(%left, %right : memref<32x24xf32, #heddle.workgroup>, memref<24x32xf32, #heddle.workgroup>)
                  outs(%tile : memref<32x32xf32, #sums>)
    gpu.return
  }

  // The bounds of a part are those of the view next to the operation, 20 rows. A region of the body may use the index
  // of a row.
  // CHECK-LABEL: gpu.func @views
  gpu.func @views(%out: memref<20x32xindex>) kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    %some = memref.subview %tile[0, 0] [24, 32] [1, 1] : memref<32x32xf32, #sums> to memref<24x32xf32, strided<[32, 1]>, #sums>
    %fewer = memref.subview %some[0, 0] [20, 32] [1, 1] : memref<24x32xf32, strided<[32, 1]>, #sums> to memref<20x32xf32, strided<[32, 1]>, #sums>
    %cast = memref.cast %fewer : memref<20x32xf32, strided<[32, 1]>, #sums> to memref<?x32xf32, strided<[32, 1]>, #sums>
    %known = memref.cast %cast : memref<?x32xf32, strided<[32, 1]>, #sums> to memref<20x32xf32, strided<[32, 1]>, #sums>
    // CHECK-DAG: %[[ROWS:.*]] = arith.constant 20 : index
    // CHECK: arith.cmpi ult, %[[ROW:.*]], %[[ROWS]]
    // CHECK: scf.if
    // CHECK: arith.select %{{.*}}, %[[ROW]], %{{.*}} : index
    // CHECK-NOT: linalg.index
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%known : memref<20x32xf32, strided<[32, 1]>, #sums>) outs(%out : memref<20x32xindex>) {
    ^bb0(%x: f32, %old: index):
      %zero = arith.constant 0.0 : f32
      %isPositive = arith.cmpf ogt, %x, %zero : f32
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %y = scf.if %isPositive -> index {
        scf.yield %row : index
      } else {
        scf.yield %column : index
      }
      linalg.yield %y : index
    }
    gpu.return
  }

  // A kernel without tiles does not change.
  // CHECK-LABEL: gpu.func @other
  gpu.func @other(%x: memref<64xf32>) kernel {
    // CHECK-NEXT: gpu.return
    gpu.return
  }
}
