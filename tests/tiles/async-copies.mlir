// RUN: heddle-opt %s --heddle-tiles-to-lanes --canonicalize --cse | FileCheck %s

#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  // CHECK-LABEL: gpu.func @stages
  gpu.func @stages(%x: memref<64x24xf32>, %w: memref<24x90xf32>, %u: memref<24x91xf32>, %v: memref<24x92xf32>,
                   %stage: index, %rows: index, %columns: index) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %sums = memref.alloc() : memref<32x32xf32, #sums>
    // CHECK: %[[LEFT:.*]] = memref.alloc() : memref<2x32x4xf32, #gpu.address_space<workgroup>>
    %left = memref.alloc() : memref<2x32x4xf32, #heddle.workgroup>
    %right = memref.alloc() : memref<2x4x32xf32, #heddle.workgroup>
    %a = memref.subview %left[%stage, 0, 0] [1, 32, 4] [1, 1, 1] : memref<2x32x4xf32, #heddle.workgroup> to memref<32x4xf32, strided<[4, 1], offset: ?>, #heddle.workgroup>
    %b = memref.subview %right[%stage, 0, 0] [1, 4, 32] [1, 1, 1] : memref<2x4x32xf32, #heddle.workgroup> to memref<4x32xf32, strided<[32, 1], offset: ?>, #heddle.workgroup>
    // 32 of the 64 lanes copy a row of 16 bytes each; a lane whose row does not exist copies no elements.
    // CHECK: %[[READ:.*]] = arith.select %{{.*}}, %c4, %c0
    // CHECK: scf.if
    // CHECK: %[[A:.*]] = memref.reinterpret_cast %[[LEFT]]
    // CHECK: nvgpu.device_async_copy %{{.*}}[%c0, %c0], %[[A]][%c0, %c0], 4, %[[READ]] {bypassL1} : memref<32x4xf32, {{.*}}> to memref<32x4xf32, {{.*}}#gpu.address_space<workgroup>>
    heddle.tile_copy async %x[%c0, %c4] valid(%rows, %c4) into %a : memref<64x24xf32>, memref<32x4xf32, strided<[4, 1], offset: ?>, #heddle.workgroup>
    // Rows of 90 elements begin at multiples of 8 bytes, so two elements are copied at a time.
    // CHECK: nvgpu.device_async_copy %{{.*}}, %{{.*}}, 2 : memref<
    heddle.tile_copy async %w[%c4, %c0] into %b : memref<24x90xf32>, memref<4x32xf32, strided<[32, 1], offset: ?>, #heddle.workgroup>
    // CHECK-COUNT-2: nvgpu.device_async_copy %{{.*}}, %{{.*}}, 1, %{{.*}} : memref<
    heddle.tile_copy async %u[%c4, %c0] valid(%c4, %columns) into %b : memref<24x91xf32>, memref<4x32xf32, strided<[32, 1], offset: ?>, #heddle.workgroup>
    // The number of columns need not be a multiple of four, so each element is copied by itself, although the rows are
    // aligned.
    // CHECK-COUNT-2: nvgpu.device_async_copy %{{.*}}, %{{.*}}, 1, %{{.*}} : memref<
    heddle.tile_copy async %v[%c4, %c0] valid(%c4, %columns) into %b : memref<24x92xf32>, memref<4x32xf32, strided<[32, 1], offset: ?>, #heddle.workgroup>
    // CHECK-NOT: gpu.barrier
    // CHECK: nvvm.cp.async.commit.group
    heddle.tile_commit
    // CHECK: nvvm.cp.async.wait.group 1
    // CHECK-NEXT: gpu.barrier
    heddle.tile_wait pending(1)
    // CHECK-NOT: gpu.barrier
    // The rows of the left factor are at constant distances, so a lane needs only one address to load them.
    // CHECK: %[[ROWS:.*]] = memref.reinterpret_cast %[[LEFT]]
    // CHECK: vector.load %[[ROWS]][%c0, %c0]
    // CHECK: vector.load %[[ROWS]][%c1, %c0]
    // CHECK-COUNT-64: math.fma
    linalg.matmul ins(%a, %b : memref<32x4xf32, strided<[4, 1], offset: ?>, #heddle.workgroup>, memref<4x32xf32, strided<[32, 1], offset: ?>, #heddle.workgroup>)
                  outs(%sums : memref<32x32xf32, #sums>)
    // All lanes begin their copies before the wait. After the wait, they may store to memory from which they copied.
    // CHECK-NOT: gpu.barrier
    // CHECK: memref.store
    %corner = memref.subview %w[0, 0] [4, 32] [1, 1] : memref<24x90xf32> to memref<4x32xf32, strided<[90, 1]>>
    %part = memref.subview %sums[0, 0] [4, 32] [1, 1] : memref<32x32xf32, #sums> to memref<4x32xf32, strided<[32, 1]>, #sums>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%part : memref<4x32xf32, strided<[32, 1]>, #sums>) outs(%corner : memref<4x32xf32, strided<[90, 1]>>) {
    ^bb0(%sum: f32, %old: f32):
      linalg.yield %sum : f32
    }
    gpu.return
  }
}
