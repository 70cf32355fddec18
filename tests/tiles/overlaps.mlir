// RUN: heddle-opt %s --heddle-tiles-to-lanes --canonicalize --cse | FileCheck %s

// A barrier separates the reads of one buffer from the writes of another one only if a launch passes buffers that may
// share memory.
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 1 x 1>
#tile = affine_map<(i, j) -> (i, j)>
module attributes {gpu.container_module} {
  gpu.module @device {
    // CHECK-LABEL: gpu.func @apart
    // CHECK-NOT: gpu.barrier
    // CHECK-LABEL: gpu.func @shared
    // CHECK: vector.load
    // CHECK: gpu.barrier
    // CHECK: vector.store
    // CHECK-LABEL: gpu.func @states
    // CHECK: vector.load
    // CHECK: gpu.barrier
    // CHECK: vector.store
    // CHECK-LABEL: gpu.func @selected
    // CHECK: vector.load
    // CHECK: gpu.barrier
    // CHECK: vector.store
    gpu.func @apart(%x: memref<1x128xf32>, %out: memref<1x128xf32>) kernel {
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
    gpu.func @states(%x: memref<1x128xf32>, %out: memref<1x128xf32>) kernel {
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
    gpu.func @selected(%x: memref<1x128xf32>, %out: memref<1x128xf32>) kernel {
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
  func.func @main(%x: memref<128xf32>, %arena: memref<4096xi8>, %before: memref<1x128xf32> {heddle.state = "memory"},
                  %after: memref<1x128xf32> {heddle.state = "memory"}, %condition: i1) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c0 = arith.constant 0 : index
    %c512 = arith.constant 512 : index
    %c256 = arith.constant 256 : index
    // An argument and the arena share no memory, and neither do parts of the arena that do not intersect.
    %rows = memref.expand_shape %x [[0, 1]] output_shape [1, 128] : memref<128xf32> into memref<1x128xf32>
    %first = memref.view %arena[%c0][] : memref<4096xi8> to memref<1x128xf32>
    %second = memref.view %arena[%c512][] : memref<4096xi8> to memref<1x128xf32>
    gpu.launch_func @device::@apart blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%rows : memref<1x128xf32>, %first : memref<1x128xf32>)
    gpu.launch_func @device::@apart blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%first : memref<1x128xf32>, %second : memref<1x128xf32>)
    // These parts of the arena intersect.
    %between = memref.view %arena[%c256][] : memref<4096xi8> to memref<1x128xf32>
    gpu.launch_func @device::@shared blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%first : memref<1x128xf32>, %between : memref<1x128xf32>)
    // Two states may share memory. Here they are one state before and after the call.
    gpu.launch_func @device::@states blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%before : memref<1x128xf32>, %after : memref<1x128xf32>)
    // The result of a select may be any buffer.
    %any = arith.select %condition, %first, %second : memref<1x128xf32>
    gpu.launch_func @device::@selected blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%rows : memref<1x128xf32>, %any : memref<1x128xf32>)
    return
  }
}
