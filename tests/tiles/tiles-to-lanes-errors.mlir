// RUN: heddle-opt %s --heddle-tiles-to-lanes -split-input-file -verify-diagnostics

#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @shape() kernel {
    // expected-error@+1 {{cannot distribute a tile of type 'memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>' over lanes}}
    %tile = memref.alloc() : memref<16x32xf32, #sums>
    gpu.return
  }
}

// -----
gpu.module @device {
  gpu.func @threads() kernel {
    %a = memref.alloc() : memref<32x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>
    // expected-error@+1 {{is distributed over 32 threads, and another tile over 64}}
    %b = memref.alloc() : memref<32x32xf32, #heddle.fragments<#heddle.fma<f32>, 1 x 1>>
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @row_sums(%out: memref<32xf32>) kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    // expected-error@+1 {{is an operation on tiles that is not elementwise}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                    iterator_types = ["parallel", "reduction"]}
        ins(%tile : memref<32x32xf32, #sums>) outs(%out : memref<32xf32>) {
    ^bb0(%x: f32, %sum: f32):
      %y = arith.addf %sum, %x : f32
      linalg.yield %y : f32
    }
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @transposed(%out: memref<32x32xf32>) kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    // expected-error@+1 {{reads tiles in registers whose elements are in different lanes}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%tile : memref<32x32xf32, #sums>) outs(%out : memref<32x32xf32>) {
    ^bb0(%x: f32, %old: f32):
      linalg.yield %x : f32
    }
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @depth(%x: memref<64x24xf32>) kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    %left = memref.alloc() : memref<32x6xf32, #heddle.workgroup>
    %right = memref.alloc() : memref<6x32xf32, #heddle.workgroup>
    // expected-error@+1 {{is no product of #heddle.fma<f32>}}
    linalg.matmul ins(%left, %right : memref<32x6xf32, #heddle.workgroup>, memref<6x32xf32, #heddle.workgroup>)
                  outs(%tile : memref<32x32xf32, #sums>)
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @corner(%out: memref<16x32xf32>) kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    %part = memref.subview %tile[16, 0] [16, 32] [1, 1] : memref<32x32xf32, #sums> to memref<16x32xf32, strided<[32, 1], offset: 512>, #sums>
    %zero = arith.constant 0.0 : f32
    // expected-error@+1 {{uses a part of a tile in registers that does not begin at its first element}}
    linalg.fill ins(%zero : f32) outs(%part : memref<16x32xf32, strided<[32, 1], offset: 512>, #sums>)
    gpu.return
  }
}
