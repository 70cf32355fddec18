// RUN: heddle-opt %s --heddle-tiles-to-lanes -split-input-file -verify-diagnostics

// The pass reports operands in memory spaces, or in kinds of fragments, for which lanes have no code.
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @copy_into_global_memory(%x: memref<32x32xf32>, %out: memref<32x32xf32>) kernel {
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    // expected-error@+1 {{expects a whole tile in workgroup memory as destination, found 'memref<32x32xf32>'}}
    heddle.tile_copy %x[%c0, %c0] into %out : memref<32x32xf32>, memref<32x32xf32>
    gpu.return
  }
}

// -----
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 2 x 1>
gpu.module @device {
  gpu.func @load_from_workgroup_memory() kernel {
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() : memref<2x128xf32, #rows>
    %shared = memref.alloc() : memref<2x128xf32, #heddle.workgroup>
    // expected-error@+1 {{expects a source in global memory, found 'memref<2x128xf32, #heddle.workgroup>'}}
    heddle.tile_copy %shared[%c0, %c0] into %tile : memref<2x128xf32, #heddle.workgroup>, memref<2x128xf32, #rows>
    gpu.return
  }
}

// -----
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 2 x 1>
gpu.module @device {
  gpu.func @product_of_rows() kernel {
    %tile = memref.alloc() : memref<2x128xf32, #rows>
    %left = memref.alloc() : memref<2x4xf32, #heddle.workgroup>
    %right = memref.alloc() : memref<4x128xf32, #heddle.workgroup>
    // expected-error@+1 {{cannot be computed in fragments of #heddle.rows<f32, 32 x 4>, a kind without products}}
    linalg.matmul ins(%left, %right : memref<2x4xf32, #heddle.workgroup>, memref<4x128xf32, #heddle.workgroup>)
                  outs(%tile : memref<2x128xf32, #rows>)
    gpu.return
  }
}

// -----
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 2 x 1>
gpu.module @device {
  gpu.func @no_matrix(%out: memref<2x128xf32>) kernel {
    %sums = memref.alloc() : memref<2xf32, #rows>
    // expected-error@+1 {{has no tile of rank 2 in registers, which determines the elements of each lane}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%sums : memref<2xf32, #rows>) outs(%out : memref<2x128xf32>) {
    ^bb0(%sum: f32, %old: f32):
      linalg.yield %sum : f32
    }
    gpu.return
  }
}
