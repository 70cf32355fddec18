// RUN: heddle-opt %s --split-input-file --heddle-tiles-to-lanes --canonicalize --cse | FileCheck %s

// If it is unknown whether two buffers share memory, a barrier separates the reads of one from the writes of the other.

// %first is a view of the arena whose size is known only at run time, so it may overlap %second.
// CHECK-LABEL: gpu.func @shared
// CHECK: memref.load {{.*}} : memref<?xi8>
// CHECK: gpu.barrier
// CHECK: vector.store
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 1 x 1>
#tile = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @shared(%x: memref<?xi8>, %out: memref<1x128xi8>) kernel {
      %c0 = arith.constant 0 : index
      %tile = memref.alloc() : memref<1x128xf32, #rows>
      %part = memref.subview %x[0] [128] [1] : memref<?xi8> to memref<128xi8, strided<[1]>>
      linalg.generic {indexing_maps = [#tile, #col, #tile], iterator_types = ["parallel", "parallel"]}
          ins(%tile, %part : memref<1x128xf32, #rows>, memref<128xi8, strided<[1]>>) outs(%tile : memref<1x128xf32, #rows>) {
      ^bb0(%element: f32, %i : i8, %old: f32):
        %f = arith.sitofp %i : i8 to f32
        linalg.yield %f : f32
      }
      linalg.generic {indexing_maps = [#tile, #tile], iterator_types = ["parallel", "parallel"]}
          ins(%tile : memref<1x128xf32, #rows>) outs(%out : memref<1x128xi8>) {
      ^bb0(%element: f32, %old: i8):
        %f = arith.fptosi %element : f32 to i8
        linalg.yield %f : i8
      }
      gpu.return
    }
  }
  func.func @main(%arena: memref<4096xi8>, %n: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %first = memref.view %arena[%c0][%n] : memref<4096xi8> to memref<?xi8>
    %second = memref.view %arena[%c64][] : memref<4096xi8> to memref<1x128xi8>
    gpu.launch_func @device::@shared blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%first : memref<?xi8>, %second : memref<1x128xi8>)
    return
  }
}
// -----
// The two arguments of @other are one buffer, because @main passes its argument twice.
// CHECK-LABEL: gpu.func @shared
// CHECK: vector.load
// CHECK: gpu.barrier
// CHECK: vector.store
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 1 x 1>
#tile = affine_map<(i, j) -> (i, j)>
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @shared(%x: memref<1x128xf32>, %out: memref<1x128xf32>) kernel {
      %c0 = arith.constant 0 : index
      %tile = memref.alloc() : memref<1x128xf32, #rows>
      heddle.tile_copy %x[%c0, %c0] into %tile : memref<1x128xf32>, memref<1x128xf32, #rows>
      linalg.generic {indexing_maps = [#tile, #tile], iterator_types = ["parallel", "parallel"]}
          ins(%tile : memref<1x128xf32, #rows>) outs(%out : memref<1x128xf32>) {
      ^bb0(%element: f32, %old: f32):
        linalg.yield %element : f32
      }
      gpu.return
    }
  }
  func.func private @other(%x: memref<1x128xf32>, %y: memref<1x128xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @device::@shared blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%x : memref<1x128xf32>, %y : memref<1x128xf32>)
    return
  }
  func.func @main(%x: memref<1x128xf32>) {
    func.call @other(%x, %x) : (memref<1x128xf32>, memref<1x128xf32>) -> ()
    return
  }
}
