// RUN: heddle-opt %s --heddle-tiles-to-lanes --canonicalize --cse | FileCheck %s

// A workgroup of two warps computes two rows. A row has 200 of the 256 elements of its tile: each lane has four
// neighbouring elements in the first 128 columns, and some lanes have four in the other 72 columns.
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 2 x 1>
#short = #heddle.fragments<#heddle.rows<f32, 8 x 1>, 1 x 1>
#shared = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 1 x 2>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
gpu.module @device {
  // CHECK-LABEL: gpu.func @maximum
  gpu.func @maximum(%x: memref<7x200xf32>, %out: memref<7x200xf32>) kernel {
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c200 = arith.constant 200 : index
    %lowest = arith.constant 0xFF800000 : f32
    %tile = memref.alloc() : memref<2x256xf32, #rows>
    %max = memref.alloc() : memref<2xf32, #rows>
    // Elements that are not copied are 0. Only the loads of the last 128 columns have a guard.
    // CHECK: %[[TILE:.*]] = memref.alloca() : memref<8xf32>
    // CHECK: %[[MAX:.*]] = memref.alloca() : memref<1xf32>
    // CHECK-COUNT-8: memref.store %{{.*}}, %[[TILE]]
    // CHECK-NOT: scf.if
    // CHECK: vector.load %{{.*}} : memref<1x256xf32, strided<[200, 1], offset: ?>>, vector<4xf32>
    // CHECK: scf.if
    // CHECK-NEXT: vector.load %{{.*}} : memref<1x256xf32, strided<[200, 1], offset: ?>>, vector<4xf32>
    heddle.tile_copy %x[%c4, %c0] valid(%c2, %c200) into %tile : memref<7x200xf32>, memref<2x256xf32, #rows>
    linalg.fill ins(%lowest : f32) outs(%max : memref<2xf32, #rows>)
    // A lane combines its elements in four chains, which begin with the neutral element. All lanes of the warp then
    // exchange their results.
    %part = memref.subview %tile[0, 0] [2, 200] [1, 1] : memref<2x256xf32, #rows> to memref<2x200xf32, strided<[256, 1]>, #rows>
    // CHECK: scf.if {{.*}} -> (f32, f32, f32, f32)
    // CHECK-COUNT-4: arith.maxnumf
    // CHECK-NEXT: scf.yield
    // CHECK-NEXT: } else {
    // CHECK-NEXT: scf.yield
    // CHECK-COUNT-3: arith.maxnumf
    // CHECK: gpu.shuffle xor
    // CHECK-NEXT: arith.maxnumf
    // CHECK-COUNT-4: gpu.shuffle xor
    // CHECK: arith.maxnumf
    // CHECK: memref.store %{{.*}}, %[[MAX]]
    linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
        ins(%part : memref<2x200xf32, strided<[256, 1]>, #rows>) outs(%max : memref<2xf32, #rows>) {
    ^bb0(%element: f32, %sofar: f32):
      %y = arith.maxnumf %element, %sofar : f32
      linalg.yield %y : f32
    }
    // Values that depend only on the row are computed once for each row.
    // CHECK: memref.load %[[MAX]]
    // CHECK-NEXT: arith.negf
    // CHECK-NOT: arith.negf
    // CHECK: vector.store %{{.*}} : memref<7x200xf32>, vector<4xf32>
    // CHECK: scf.if
    // CHECK: vector.store %{{.*}} : memref<7x200xf32>, vector<4xf32>
    %rows = memref.subview %out[4, 0] [2, 200] [1, 1] : memref<7x200xf32> to memref<2x200xf32, strided<[200, 1], offset: 800>>
    linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%part, %max : memref<2x200xf32, strided<[256, 1]>, #rows>, memref<2xf32, #rows>)
        outs(%rows : memref<2x200xf32, strided<[200, 1], offset: 800>>) {
    ^bb0(%element: f32, %largest: f32, %old: f32):
      %minus = arith.negf %largest : f32
      %y = arith.addf %element, %minus : f32
      linalg.yield %y : f32
    }
    // CHECK-NOT: gpu.barrier
    // CHECK-NOT: linalg
    gpu.return
  }

  // Eight lanes share a row. The guard of a row is around the lanes' own elements, not around the shuffles, which all
  // lanes must execute.
  // CHECK-LABEL: gpu.func @short
  gpu.func @short(%x: memref<7x8xf32>, %out: memref<7x8xf32>, %count: index) kernel {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant -0.0 : f32
    %tile = memref.alloc() : memref<4x8xf32, #short>
    %sum = memref.alloc() : memref<4xf32, #short>
    heddle.tile_copy %x[%c0, %c0] valid(%count, %c8) into %tile : memref<7x8xf32>, memref<4x8xf32, #short>
    linalg.fill ins(%zero : f32) outs(%sum : memref<4xf32, #short>)
    %part = memref.subview %tile[0, 0] [%count, 8] [1, 1] : memref<4x8xf32, #short> to memref<?x8xf32, strided<[8, 1]>, #short>
    %sums = memref.subview %sum[0] [%count] [1] : memref<4xf32, #short> to memref<?xf32, strided<[1]>, #short>
    // CHECK: scf.if
    // CHECK: memref.load %{{.*}} : memref<1x8xf32
    // CHECK: %[[OWN:.*]] = scf.if {{.*}} -> (f32)
    // CHECK-NEXT: memref.load
    // CHECK-NEXT: scf.yield
    // CHECK-NEXT: } else {
    // CHECK-NEXT: scf.yield
    // CHECK-NEXT: }
    // CHECK: gpu.shuffle xor %[[OWN]], %{{.*}}, %{{.*}} : f32
    // CHECK-COUNT-2: gpu.shuffle xor
    // CHECK-NOT: gpu.shuffle
    linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
        ins(%part : memref<?x8xf32, strided<[8, 1]>, #short>)
        outs(%sums : memref<?xf32, strided<[1]>, #short>) {
    ^bb0(%element: f32, %sofar: f32):
      %y = arith.addf %sofar, %element : f32
      linalg.yield %y : f32
    }
    gpu.return
  }

  // A copy converts elements that are narrower in global memory. A lane loads neighbouring elements at once if they are
  // aligned.
  // CHECK-LABEL: gpu.func @narrow
  gpu.func @narrow(%x: memref<2x256xf16>, %y: memref<2x255xbf16>, %out: memref<2x256xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c255 = arith.constant 255 : index
    %even = memref.alloc() : memref<2x256xf32, #rows>
    %odd = memref.alloc() : memref<2x256xf32, #rows>
    // CHECK: %[[FOUR:.*]] = vector.load %{{.*}} : memref<1x256xf16, {{.*}}>, vector<4xf16>
    // CHECK-NEXT: arith.extf %[[FOUR]] : vector<4xf16> to vector<4xf32>
    heddle.tile_copy %x[%c0, %c0] into %even : memref<2x256xf16>, memref<2x256xf32, #rows>
    // CHECK: %[[ONE:.*]] = memref.load %{{.*}} : memref<{{.*}}xbf16{{.*}}>
    // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[ONE]] : bf16 to f32
    // CHECK-NEXT: memref.store %[[WIDE]], %{{.*}} : memref<8xf32>
    heddle.tile_copy %y[%c0, %c0] valid(%c2, %c255) into %odd : memref<2x255xbf16>, memref<2x256xf32, #rows>
    linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%even, %odd : memref<2x256xf32, #rows>, memref<2x256xf32, #rows>) outs(%out : memref<2x256xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
    }
    gpu.return
  }

  // Elements are loaded one by one if the number of valid columns or the first column might not be a multiple of four.
  // CHECK-LABEL: gpu.func @unaligned
  gpu.func @unaligned(%x: memref<2x512xf32>, %out: memref<2x256xf32>, %columns: index, %first: index) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %left = memref.alloc() : memref<2x256xf32, #rows>
    %right = memref.alloc() : memref<2x256xf32, #rows>
    // CHECK-NOT: vector.load
    // CHECK-COUNT-8: memref.load %{{.*}} : memref<{{.*}}x{{.*}}xf32
    heddle.tile_copy %x[%c0, %c0] valid(%c2, %columns) into %left : memref<2x512xf32>, memref<2x256xf32, #rows>
    // CHECK-NOT: vector.load
    // CHECK-COUNT-8: memref.load %{{.*}} : memref<{{.*}}x{{.*}}xf32
    heddle.tile_copy %x[%c0, %first] into %right : memref<2x512xf32>, memref<2x256xf32, #rows>
    // CHECK: vector.store
    linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%left, %right : memref<2x256xf32, #rows>, memref<2x256xf32, #rows>) outs(%out : memref<2x256xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
    }
    gpu.return
  }

  // A warp has two blocks of four rows, so each lane has two sums.
  // CHECK-LABEL: gpu.func @two_blocks
  gpu.func @two_blocks(%x: memref<8x8xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant -0.0 : f32
    %tile = memref.alloc() : memref<8x8xf32, #short>
    %sum = memref.alloc() : memref<8xf32, #short>
    // CHECK: %[[TILE:.*]] = memref.alloca() : memref<2xf32>
    // CHECK: %[[SUM:.*]] = memref.alloca() : memref<2xf32>
    heddle.tile_copy %x[%c0, %c0] into %tile : memref<8x8xf32>, memref<8x8xf32, #short>
    linalg.fill ins(%zero : f32) outs(%sum : memref<8xf32, #short>)
    // CHECK: memref.load %[[TILE]][%c0]
    // CHECK-COUNT-3: gpu.shuffle xor
    // CHECK: memref.load %[[TILE]][%c1]
    // CHECK-COUNT-3: gpu.shuffle xor
    // CHECK: memref.store %{{.*}}, %[[SUM]][%c0]
    // CHECK: memref.store %{{.*}}, %[[SUM]][%c1]
    linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
        ins(%tile : memref<8x8xf32, #short>) outs(%sum : memref<8xf32, #short>) {
    ^bb0(%element: f32, %sofar: f32):
      %y = arith.addf %sofar, %element : f32
      linalg.yield %y : f32
    }
    // The elements of each block are divided by the sum of their own row.
    // CHECK: memref.load %[[SUM]][%c0]
    // CHECK: memref.load %[[SUM]][%c1]
    linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%tile, %sum : memref<8x8xf32, #short>, memref<8xf32, #short>) outs(%x : memref<8x8xf32>) {
    ^bb0(%element: f32, %all: f32, %old: f32):
      %y = arith.divf %element, %all : f32
      linalg.yield %y : f32
    }
    gpu.return
  }

  // Two warps share a row. Each writes its sum into workgroup memory, from one of its lanes, and adds the sum of the
  // other after a barrier.
  // CHECK-LABEL: gpu.func @shared_row
  gpu.func @shared_row(%x: memref<1x256xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant -0.0 : f32
    // CHECK: %[[PARTS:.*]] = memref.alloc() : memref<1x1x2xf32, #gpu.address_space<workgroup>>
    %tile = memref.alloc() : memref<1x256xf32, #shared>
    %sum = memref.alloc() : memref<1xf32, #shared>
    heddle.tile_copy %x[%c0, %c0] into %tile : memref<1x256xf32>, memref<1x256xf32, #shared>
    linalg.fill ins(%zero : f32) outs(%sum : memref<1xf32, #shared>)
    // CHECK-COUNT-5: gpu.shuffle xor
    // CHECK: %[[OWN:.*]] = arith.addf
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq
    // CHECK: scf.if %[[FIRST]] {
    // CHECK-NEXT: memref.store %[[OWN]], %[[PARTS]]
    // CHECK-NEXT: }
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: %[[LEFT:.*]] = memref.load %[[PARTS]][%c0, %[[ROW:.*]], %c0]
    // CHECK-NEXT: %[[RIGHT:.*]] = memref.load %[[PARTS]][%c0, %[[ROW]], %c1]
    // CHECK-NEXT: arith.addf %[[LEFT]], %[[RIGHT]]
    // CHECK-NOT: gpu.barrier
    linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
        ins(%tile : memref<1x256xf32, #shared>) outs(%sum : memref<1xf32, #shared>) {
    ^bb0(%element: f32, %sofar: f32):
      %y = arith.addf %sofar, %element : f32
      linalg.yield %y : f32
    }
    gpu.return
  }

  // In a loop, a second barrier separates the writes from the reads of the previous iteration.
  // CHECK-LABEL: gpu.func @shared_row_in_loop
  gpu.func @shared_row_in_loop(%x: memref<1x256xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant -0.0 : f32
    %tile = memref.alloc() : memref<1x256xf32, #shared>
    %sum = memref.alloc() : memref<1xf32, #shared>
    heddle.tile_copy %x[%c0, %c0] into %tile : memref<1x256xf32>, memref<1x256xf32, #shared>
    linalg.fill ins(%zero : f32) outs(%sum : memref<1xf32, #shared>)
    // CHECK: scf.for
    // CHECK: gpu.barrier
    // CHECK: scf.if
    // CHECK: gpu.barrier
    scf.for %i = %c0 to %n step %c1 {
      linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
          ins(%tile : memref<1x256xf32, #shared>) outs(%sum : memref<1xf32, #shared>) {
      ^bb0(%element: f32, %sofar: f32):
        %y = arith.addf %sofar, %element : f32
        linalg.yield %y : f32
      }
    }
    gpu.return
  }
}
