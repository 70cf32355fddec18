// RUN: heddle-opt %s --heddle-tiles-to-lanes --canonicalize --cse | FileCheck %s

// This file tests the operations on tiles that attention needs and linear layers do not need.
#sums = #heddle.fragments<#heddle.fma<f32>, 1 x 1>
#matrix = #heddle.fragments<#heddle.mma<bf16>, 1 x 1>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#id = affine_map<(i) -> (i)>
#left = affine_map<(i, j, k) -> (i, k)>
#transposed = affine_map<(i, j, k) -> (j, k)>
#result = affine_map<(i, j, k) -> (i, j)>
gpu.module @device {
  // The right factor is the transpose of a tile, so a lane reads four rows of this tile for the four columns of its
  // sums. At the same time, other lanes read rows that are four rows apart, which would lie in the same banks if the
  // tile were not swizzled.
  // CHECK-LABEL: gpu.func @transposed
  gpu.func @transposed(%x: memref<16x64xf32>, %y: memref<32x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %scores = memref.alloc() : memref<16x32xf32, #sums>
    %queries = memref.alloc() : memref<16x64xf32, #heddle.workgroup>
    %keys = memref.alloc() : memref<32x64xf32, #heddle.workgroup>
    heddle.tile_copy %x[%c0, %c0] into %queries : memref<16x64xf32>, memref<16x64xf32, #heddle.workgroup>
    // CHECK: arith.xori
    // CHECK: vector.store
    heddle.tile_copy %y[%c0, %c0] into %keys : memref<32x64xf32>, memref<32x64xf32, #heddle.workgroup>
    // CHECK: gpu.barrier
    // CHECK: scf.for
    // CHECK-COUNT-4: vector.load {{.*}} : memref<16x64xf32, {{.*}}#gpu.address_space<workgroup>>, vector<4xf32>
    // CHECK: arith.xori
    // CHECK-COUNT-4: vector.load {{.*}} : memref<32x64xf32, {{.*}}#gpu.address_space<workgroup>>, vector<4xf32>
    // CHECK-COUNT-64: math.fma
    linalg.matmul indexing_maps = [#left, #transposed, #result]
      ins(%queries, %keys : memref<16x64xf32, #heddle.workgroup>, memref<32x64xf32, #heddle.workgroup>)
      outs(%scores : memref<16x32xf32, #sums>)
    gpu.return
  }

  // A tile in registers is stored to a tile in workgroup memory, without a barrier before it: no lane has read this tile.
  // CHECK-LABEL: gpu.func @stored_factor
  gpu.func @stored_factor(%y: memref<32x32xf32>) kernel {
    %c0 = arith.constant 0 : index
    %weights = memref.alloc() : memref<16x32xf32, #sums>
    %sums = memref.alloc() : memref<16x32xf32, #sums>
    %factors = memref.alloc() : memref<16x32xf32, #heddle.workgroup>
    %values = memref.alloc() : memref<32x32xf32, #heddle.workgroup>
    // CHECK-NOT: gpu.barrier
    // CHECK-COUNT-4: vector.store {{.*}} : memref<16x32xf32, {{.*}}#gpu.address_space<workgroup>>, vector<4xf32>
    // CHECK: gpu.barrier
    // CHECK: math.fma
    // CHECK-NOT: gpu.barrier
    heddle.tile_copy %y[%c0, %c0] into %values : memref<32x32xf32>, memref<32x32xf32, #heddle.workgroup>
    linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%weights : memref<16x32xf32, #sums>) outs(%factors : memref<16x32xf32, #heddle.workgroup>) {
    ^bb0(%weight: f32, %old: f32):
      linalg.yield %weight : f32
    }
    linalg.matmul ins(%factors, %values : memref<16x32xf32, #heddle.workgroup>, memref<32x32xf32, #heddle.workgroup>)
                  outs(%sums : memref<16x32xf32, #sums>)
    gpu.return
  }

  // A lane has the elements of four rows of each tensor.
  // CHECK-LABEL: gpu.func @rows
  gpu.func @rows(%factor: f32, %out: memref<16x32xf32>) kernel {
    %a = memref.alloc() : memref<16xf32, #sums>
    %b = memref.alloc() : memref<16xf32, #sums>
    %tile = memref.alloc() : memref<16x32xf32, #sums>
    // CHECK-COUNT-4: arith.mulf
    // CHECK-NOT: arith.mulf
    // CHECK-COUNT-16: arith.addf
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : memref<16xf32, #sums>) outs(%b : memref<16xf32, #sums>) {
    ^bb0(%x: f32, %old: f32):
      %y = arith.mulf %x, %factor : f32
      linalg.yield %y : f32
    }
    linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%tile, %b : memref<16x32xf32, #sums>, memref<16xf32, #sums>) outs(%out : memref<16x32xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    }
    gpu.return
  }

  // With matrix instructions, a lane has the sums that it multiplies in the next product. Two neighbouring elements are
  // rounded together, as a vector.
  // CHECK-LABEL: gpu.func @factor_in_registers
  gpu.func @factor_in_registers(%y: memref<16x16xbf16>, %out: memref<16x16xf32>) kernel {
    %c0 = arith.constant 0 : index
    %weights = memref.alloc() : memref<16x16xf32, #matrix>
    %factors = memref.alloc() : memref<16x16xbf16, #matrix>
    %sums = memref.alloc() : memref<16x16xf32, #matrix>
    %values = memref.alloc() : memref<16x16xbf16, #heddle.workgroup>
    heddle.tile_copy %y[%c0, %c0] into %values : memref<16x16xbf16>, memref<16x16xbf16, #heddle.workgroup>
    // CHECK-COUNT-4: arith.truncf {{.*}} : vector<2xf32> to vector<2xbf16>
    // CHECK: gpu.barrier
    linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%weights : memref<16x16xf32, #matrix>) outs(%factors : memref<16x16xbf16, #matrix>) {
    ^bb0(%weight: f32, %old: bf16):
      %rounded = arith.truncf %weight : f32 to bf16
      linalg.yield %rounded : bf16
    }
    // CHECK: nvgpu.ldmatrix
    // CHECK-NOT: nvgpu.ldmatrix
    // CHECK-COUNT-2: nvvm.mma.sync
    linalg.matmul ins(%factors, %values : memref<16x16xbf16, #matrix>, memref<16x16xbf16, #heddle.workgroup>)
                  outs(%sums : memref<16x16xf32, #matrix>)
    linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sums : memref<16x16xf32, #matrix>) outs(%out : memref<16x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      linalg.yield %x : f32
    }
    gpu.return
  }

  // Eight lanes share a row. The first of them writes the element of the row, if the row exists.
  // CHECK-LABEL: gpu.func @rows_to_memory
  gpu.func @rows_to_memory(%out: memref<100xf32>, %first: index, %height: index) kernel {
    %zero = arith.constant 0.0 : f32
    %rows = memref.alloc() : memref<16xf32, #sums>
    linalg.fill ins(%zero : f32) outs(%rows : memref<16xf32, #sums>)
    %part = memref.subview %rows[0] [%height] [1] : memref<16xf32, #sums> to memref<?xf32, strided<[1]>, #sums>
    %target = memref.subview %out[%first] [%height] [1]
      : memref<100xf32> to memref<?xf32, strided<[1], offset: ?>>
    // CHECK: %[[SHARED:.*]] = arith.andi %{{.*}}, %c7
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[SHARED]], %c0
    // CHECK: %[[EXISTS:.*]] = arith.cmpi ult
    // CHECK: %[[WRITES:.*]] = arith.andi %[[FIRST]], %[[EXISTS]]
    // CHECK: scf.if %[[WRITES]]
    // CHECK: memref.store {{.*}} : memref<100xf32>
    // CHECK-COUNT-3: memref.store {{.*}} : memref<100xf32>
    // CHECK-NOT: memref.store {{.*}} : memref<100xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%part : memref<?xf32, strided<[1]>, #sums>) outs(%target : memref<?xf32, strided<[1], offset: ?>>) {
    ^bb0(%x: f32, %old: f32):
      linalg.yield %x : f32
    }
    // CHECK: gpu.return
    gpu.return
  }
}
