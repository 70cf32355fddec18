// RUN: heddle-opt %s --heddle-tiles-to-lanes --canonicalize --cse | FileCheck %s

#sums = #heddle.fragments<#heddle.mma<bf16>, 1 x 1>
#staged = strided<[16, 1], offset: ?>
gpu.module @device {
  // An async copy that rounds loads its elements before the products of the step, and stores them after the products.
  // CHECK-LABEL: gpu.func @step
  // CHECK-SAME: (%{{.*}}, %{{.*}}, %[[EXISTS:[a-z0-9]*]]: i1)
  gpu.func @step(%x: memref<16x64xf32>, %w: memref<16x8xbf16>, %exists: i1) kernel {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %sums = memref.alloc() : memref<16x8xf32, #sums>
    // CHECK-DAG: %[[LEFT:.*]] = memref.alloc() : memref<2x16x16xbf16, #gpu.address_space<workgroup>>
    // A lane copies two chunks of four elements, which it loads into private buffers.
    // CHECK-DAG: memref.alloca() : memref<4xf32>
    %left = memref.alloc() : memref<2x16x16xbf16, #heddle.workgroup>
    %right = memref.alloc() : memref<16x8xbf16, #heddle.workgroup>
    heddle.tile_copy %w[%c0, %c0] into %right : memref<16x8xbf16>, memref<16x8xbf16, #heddle.workgroup>
    // Before the loop there are no products, so the elements are stored immediately.
    // CHECK: %[[FIRST:.*]] = vector.load {{.*}}, vector<4xf32>
    // CHECK: arith.truncf %[[FIRST]]
    // CHECK: vector.store {{.*}} : memref<16x16xbf16, {{.*}}#gpu.address_space<workgroup>>, vector<4xbf16>
    %first = memref.subview %left[0, 0, 0] [1, 16, 16] [1, 1, 1] : memref<2x16x16xbf16, #heddle.workgroup> to memref<16x16xbf16, strided<[16, 1]>, #heddle.workgroup>
    heddle.tile_copy async %x[%c0, %c0] into %first : memref<16x64xf32>, memref<16x16xbf16, strided<[16, 1]>, #heddle.workgroup>
    heddle.tile_commit
    // CHECK: scf.for %[[K:.*]] = %c0 to %c64 step %c16
    scf.for %k = %c0 to %c64 step %c16 {
      // CHECK: nvvm.cp.async.wait.group 0
      // CHECK-NEXT: gpu.barrier
      heddle.tile_wait pending(0)
      // CHECK: scf.if %[[EXISTS]] {
      // CHECK: %[[VALUE:.*]] = vector.load {{.*}}, vector<4xf32>
      // CHECK-NEXT: %[[SECOND:.*]] = vector.load {{.*}}, vector<4xf32>
      // CHECK-NEXT: vector.store %[[VALUE]], %[[LOADED:.*]][%c0] : memref<4xf32>, vector<4xf32>
      // CHECK-NEXT: vector.store %[[SECOND]], %[[REST:.*]][%c0] : memref<4xf32>, vector<4xf32>
      // CHECK-NEXT: }
      scf.if %exists {
        %later = arith.addi %k, %c16 : index
        %stage = affine.apply affine_map<(k) -> ((k floordiv 16) mod 2)>(%later)
        %target = memref.subview %left[%stage, 0, 0] [1, 16, 16] [1, 1, 1] : memref<2x16x16xbf16, #heddle.workgroup> to memref<16x16xbf16, #staged, #heddle.workgroup>
        heddle.tile_copy async %x[%c0, %later] into %target : memref<16x64xf32>, memref<16x16xbf16, #staged, #heddle.workgroup>
      }
      // CHECK: nvvm.cp.async.commit.group
      heddle.tile_commit
      // CHECK-NOT: truncf
      // CHECK: nvvm.mma.sync
      // CHECK: scf.if %[[EXISTS]] {
      // CHECK: %[[LATER:.*]] = arith.addi %[[K]], %c16
      // CHECK: %[[WIDE:.*]] = vector.load %[[LOADED]][%c0] : memref<4xf32>, vector<4xf32>
      // CHECK: %[[OTHER:.*]] = vector.load %[[REST]][%c0] : memref<4xf32>, vector<4xf32>
      // CHECK: %[[NARROW:.*]] = arith.truncf %[[WIDE]] : vector<4xf32> to vector<4xbf16>
      // CHECK: %[[STAGE:.*]] = affine.apply {{.*}}(%[[LATER]])
      // CHECK: arith.addi %[[STAGE]],
      // CHECK: %[[TARGET:.*]] = memref.reinterpret_cast %[[LEFT]]
      // CHECK: vector.store %[[NARROW]], %[[TARGET]][%c0, %c0]
      // CHECK: %[[MORE:.*]] = arith.truncf %[[OTHER]]
      // CHECK: vector.store %[[MORE]], %[[TARGET]][%c8, %c0]
      %now = affine.apply affine_map<(k) -> ((k floordiv 16) mod 2)>(%k)
      %tile = memref.subview %left[%now, 0, 0] [1, 16, 16] [1, 1, 1] : memref<2x16x16xbf16, #heddle.workgroup> to memref<16x16xbf16, #staged, #heddle.workgroup>
      linalg.matmul ins(%tile, %right : memref<16x16xbf16, #staged, #heddle.workgroup>, memref<16x8xbf16, #heddle.workgroup>)
                    outs(%sums : memref<16x8xf32, #sums>)
      // CHECK-NOT: vector.store
      // CHECK: gpu.return
    }
    gpu.return
  }
}
