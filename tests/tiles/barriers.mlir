// RUN: heddle-opt %s --heddle-tiles-to-lanes --canonicalize --cse | FileCheck %s

// Barriers separate accesses to the same memory by different lanes if one of the accesses is a write.
#sums = #heddle.fragments<#heddle.fma<f32>, 1 x 1>
#tile = affine_map<(i, j) -> (i, j)>
gpu.module @device {
  // A second copy into a tile waits for the first one.
  // CHECK-LABEL: gpu.func @write_after_write
  gpu.func @write_after_write(%x: memref<16x4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %sums = memref.alloc() : memref<16x32xf32, #sums>
    %left = memref.alloc() : memref<16x4xf32, #heddle.workgroup>
    // CHECK: vector.store
    // CHECK: gpu.barrier
    // CHECK: vector.store
    heddle.tile_copy %x[%c0, %c0] into %left : memref<16x4xf32>, memref<16x4xf32, #heddle.workgroup>
    heddle.tile_copy %x[%c0, %c0] into %left : memref<16x4xf32>, memref<16x4xf32, #heddle.workgroup>
    gpu.return
  }

  // The same holds if the first copy is in a branch, which is not always executed.
  // CHECK-LABEL: gpu.func @write_after_branch
  gpu.func @write_after_branch(%x: memref<16x4xf32>, %is: i1) kernel {
    %c0 = arith.constant 0 : index
    %sums = memref.alloc() : memref<16x32xf32, #sums>
    %left = memref.alloc() : memref<16x4xf32, #heddle.workgroup>
    // CHECK: vector.store
    // CHECK: gpu.barrier
    // CHECK: vector.store
    scf.if %is {
      heddle.tile_copy %x[%c0, %c0] into %left : memref<16x4xf32>, memref<16x4xf32, #heddle.workgroup>
    }
    heddle.tile_copy %x[%c0, %c0] into %left : memref<16x4xf32>, memref<16x4xf32, #heddle.workgroup>
    gpu.return
  }

  // A copy reads elements of %x that other lanes have stored before.
  // CHECK-LABEL: gpu.func @read_after_store
  gpu.func @read_after_store(%x: memref<16x32xf32>) kernel {
    %c0 = arith.constant 0 : index
    %sums = memref.alloc() : memref<16x32xf32, #sums>
    %left = memref.alloc() : memref<16x32xf32, #heddle.workgroup>
    // CHECK-COUNT-4: vector.store
    // CHECK: gpu.barrier
    // CHECK: vector.load
    linalg.generic {indexing_maps = [#tile, #tile], iterator_types = ["parallel", "parallel"]}
        ins(%sums : memref<16x32xf32, #sums>) outs(%x : memref<16x32xf32>) {
    ^bb0(%sum: f32, %old: f32):
      linalg.yield %sum : f32
    }
    heddle.tile_copy %x[%c0, %c0] into %left : memref<16x32xf32>, memref<16x32xf32, #heddle.workgroup>
    gpu.return
  }

  // Lanes overwrite elements of %x that other lanes have read before.
  // CHECK-LABEL: gpu.func @store_after_read
  gpu.func @store_after_read(%x: memref<16x32xf32>) kernel {
    %c0 = arith.constant 0 : index
    %sums = memref.alloc() : memref<16x32xf32, #sums>
    %left = memref.alloc() : memref<16x32xf32, #heddle.workgroup>
    // CHECK-COUNT-4: vector.store
    // CHECK: gpu.barrier
    // CHECK-COUNT-4: vector.store
    heddle.tile_copy %x[%c0, %c0] into %left : memref<16x32xf32>, memref<16x32xf32, #heddle.workgroup>
    linalg.generic {indexing_maps = [#tile, #tile], iterator_types = ["parallel", "parallel"]}
        ins(%sums : memref<16x32xf32, #sums>) outs(%x : memref<16x32xf32>) {
    ^bb0(%sum: f32, %old: f32):
      linalg.yield %sum : f32
    }
    gpu.return
  }

  // A barrier separates the copies in a loop from the reads of the previous iteration. The stores after the loop need
  // no barrier, because no other operation accesses %out.
  // CHECK-LABEL: gpu.func @loop
  gpu.func @loop(%x: memref<16x64xf32>, %w: memref<64x32xf32>, %out: memref<16x32xf32>, %k: index) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %sums = memref.alloc() : memref<16x32xf32, #sums>
    // CHECK: scf.for
    // CHECK: gpu.barrier
    // CHECK: vector.store
    // CHECK: gpu.barrier
    // CHECK-COUNT-64: math.fma
    // CHECK-NOT: gpu.barrier
    // CHECK: gpu.return
    scf.for %i = %c0 to %k step %c4 {
      %left = memref.alloc() : memref<16x4xf32, #heddle.workgroup>
      %right = memref.alloc() : memref<4x32xf32, #heddle.workgroup>
      heddle.tile_copy %x[%c0, %i] into %left : memref<16x64xf32>, memref<16x4xf32, #heddle.workgroup>
      heddle.tile_copy %w[%i, %c0] into %right : memref<64x32xf32>, memref<4x32xf32, #heddle.workgroup>
      linalg.matmul ins(%left, %right : memref<16x4xf32, #heddle.workgroup>, memref<4x32xf32, #heddle.workgroup>)
                    outs(%sums : memref<16x32xf32, #sums>)
    }
    linalg.generic {indexing_maps = [#tile, #tile], iterator_types = ["parallel", "parallel"]}
        ins(%sums : memref<16x32xf32, #sums>) outs(%out : memref<16x32xf32>) {
    ^bb0(%sum: f32, %old: f32):
      linalg.yield %sum : f32
    }
    gpu.return
  }

  // A call may write what the copy before it reads, and what the copy after it reads.
  // CHECK-LABEL: gpu.func @call
  gpu.func @call(%x: memref<16x4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %sums = memref.alloc() : memref<16x32xf32, #sums>
    %left = memref.alloc() : memref<16x4xf32, #heddle.workgroup>
    %other = memref.alloc() : memref<16x4xf32, #heddle.workgroup>
    // CHECK: vector.load
    // CHECK: gpu.barrier
    // CHECK: func.call @unknown
    // CHECK: gpu.barrier
    // CHECK: vector.load
    heddle.tile_copy %x[%c0, %c0] into %left : memref<16x4xf32>, memref<16x4xf32, #heddle.workgroup>
    func.call @unknown() : () -> ()
    heddle.tile_copy %x[%c0, %c0] into %other : memref<16x4xf32>, memref<16x4xf32, #heddle.workgroup>
    gpu.return
  }
  func.func private @unknown()

  // In a loop, a call may write what the next step reads.
  // CHECK-LABEL: gpu.func @call_in_loop
  gpu.func @call_in_loop(%x: memref<16x4xf32>, %k: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sums = memref.alloc() : memref<16x32xf32, #sums>
    // CHECK: scf.for
    // CHECK: gpu.barrier
    // CHECK: vector.load
    // CHECK: gpu.barrier
    // CHECK: func.call @unknown
    scf.for %i = %c0 to %k step %c1 {
      %left = memref.alloc() : memref<16x4xf32, #heddle.workgroup>
      heddle.tile_copy %x[%c0, %c0] into %left : memref<16x4xf32>, memref<16x4xf32, #heddle.workgroup>
      func.call @unknown() : () -> ()
    }
    gpu.return
  }

  // An operation may change a part of a buffer in place and read another part. It needs no barrier, because only the
  // lane that writes an element reads this element.
  // CHECK-LABEL: gpu.func @in_place
  // CHECK-NOT: gpu.barrier
  // CHECK: vector.store
  gpu.func @in_place(%all: memref<32x32xf32>) kernel {
    %sums = memref.alloc() : memref<16x32xf32, #sums>
    %upper = memref.subview %all[0, 0] [16, 32] [1, 1] : memref<32x32xf32> to memref<16x32xf32, strided<[32, 1]>>
    %again = memref.subview %all[0, 0] [16, 32] [1, 1] : memref<32x32xf32> to memref<16x32xf32, strided<[32, 1]>>
    %lower = memref.subview %all[16, 0] [16, 32] [1, 1] : memref<32x32xf32> to memref<16x32xf32, strided<[32, 1], offset: 512>>
    linalg.generic {indexing_maps = [#tile, #tile, #tile, #tile], iterator_types = ["parallel", "parallel"]}
        ins(%sums, %upper, %lower : memref<16x32xf32, #sums>, memref<16x32xf32, strided<[32, 1]>>,
            memref<16x32xf32, strided<[32, 1], offset: 512>>) outs(%again : memref<16x32xf32, strided<[32, 1]>>) {
    ^bb0(%sum: f32, %x: f32, %y: f32, %old: f32):
      %0 = arith.addf %x, %y : f32
      %1 = arith.addf %0, %sum : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }
}
