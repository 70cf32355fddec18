// RUN: heddle-opt %s --heddle-tiles-to-lanes -split-input-file -verify-diagnostics

// With multiply-adds (fma), a lane multiplies elements of the left factor that other lanes have in registers.
#sums = #heddle.fragments<#heddle.fma<f32>, 1 x 1>
gpu.module @device {
  gpu.func @factor_in_registers() kernel {
    %left = memref.alloc() : memref<16x32xf32, #sums>
    %tile = memref.alloc() : memref<16x32xf32, #sums>
    %right = memref.alloc() : memref<32x32xf32, #heddle.workgroup>
    // expected-error@+1 {{has a left factor in registers, but lanes do not have all the elements that they multiply in products of #heddle.fma<f32>}}
    linalg.matmul ins(%left, %right : memref<16x32xf32, #sums>, memref<32x32xf32, #heddle.workgroup>)
                  outs(%tile : memref<16x32xf32, #sums>)
    gpu.return
  }
}

// -----
// Lanes of the second column of warps do not have all elements of their rows.
#matrix = #heddle.fragments<#heddle.mma<bf16>, 1 x 2>
gpu.module @device {
  gpu.func @factor_in_other_warps() kernel {
    %left = memref.alloc() : memref<16x16xbf16, #matrix>
    %tile = memref.alloc() : memref<16x16xf32, #matrix>
    %right = memref.alloc() : memref<16x16xbf16, #heddle.workgroup>
    // expected-error@+1 {{has a left factor in registers, but lanes do not have all the elements that they multiply in products of #heddle.mma<bf16>}}
    linalg.matmul ins(%left, %right : memref<16x16xbf16, #matrix>, memref<16x16xbf16, #heddle.workgroup>)
                  outs(%tile : memref<16x16xf32, #matrix>)
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 1 x 1>
#id = affine_map<(i) -> (i)>
gpu.module @device {
  gpu.func @rows_in_memory(%out: memref<16xf32>) kernel {
    %rows = memref.alloc() : memref<16xf32, #sums>
    // expected-error@+1 {{has one loop, but an operand that is not a tensor of rank 1 in registers}}
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%rows : memref<16xf32, #sums>) outs(%out : memref<16xf32>) {
    ^bb0(%x: f32, %old: f32):
      %sum = arith.addf %x, %old : f32
      linalg.yield %sum : f32
    }
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 1 x 1>
#others = #heddle.fragments<#heddle.mma<bf16>, 1 x 1>
#id = affine_map<(i) -> (i)>
gpu.module @device {
  gpu.func @rows_of_other_lanes() kernel {
    %rows = memref.alloc() : memref<16xf32, #sums>
    %other = memref.alloc() : memref<16xf32, #others>
    // expected-error@+1 {{expects tensors of rank 1 with elements of the same rows}}
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%rows : memref<16xf32, #sums>) outs(%other : memref<16xf32, #others>) {
    ^bb0(%x: f32, %old: f32):
      linalg.yield %x : f32
    }
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 1 x 1>
#id = affine_map<(i) -> (i)>
gpu.module @device {
  gpu.func @part_of_rows() kernel {
    %rows = memref.alloc() : memref<16xf32, #sums>
    %part = memref.subview %rows[0] [8] [1] : memref<16xf32, #sums> to memref<8xf32, strided<[1]>, #sums>
    // expected-error@+1 {{expects whole tensors of rank 1 in registers}}
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
        outs(%part : memref<8xf32, strided<[1]>, #sums>) {
    ^bb0(%old: f32):
      linalg.yield %old : f32
    }
    gpu.return
  }
}
