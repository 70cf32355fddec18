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
  gpu.func @depth(%x: memref<64x24xf32>) kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    %left = memref.alloc() : memref<32x6xf32, #heddle.workgroup>
    %right = memref.alloc() : memref<6x32xf32, #heddle.workgroup>
    // expected-error@+1 {{cannot be computed in fragments of #heddle.fma<f32>: expects factors 32 x K and K x 32 of 'f32' with K a multiple of 4, found 'memref<32x6xf32, #heddle.workgroup>' and 'memref<6x32xf32, #heddle.workgroup>'}}
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

// -----
// The factors have fewer rows and columns than the sums.
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @small_factors() kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    %left = memref.alloc() : memref<16x4xf32, #heddle.workgroup>
    %right = memref.alloc() : memref<4x16xf32, #heddle.workgroup>
    %part = memref.subview %tile[0, 0] [16, 16] [1, 1] : memref<32x32xf32, #sums> to memref<16x16xf32, strided<[32, 1]>, #sums>
    // expected-error@+1 {{adds to a part of a tile in registers, for which lanes have no code}}
    linalg.matmul ins(%left, %right : memref<16x4xf32, #heddle.workgroup>, memref<4x16xf32, #heddle.workgroup>)
                  outs(%part : memref<16x16xf32, strided<[32, 1]>, #sums>)
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @factors(%x: memref<32x4xf32>) kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    %right = memref.alloc() : memref<4x32xf32, #heddle.workgroup>
    // expected-error@+1 {{expects whole tiles in workgroup memory as factors, found 'memref<32x4xf32>' and 'memref<4x32xf32, #heddle.workgroup>'}}
    linalg.matmul ins(%x, %right : memref<32x4xf32>, memref<4x32xf32, #heddle.workgroup>)
                  outs(%tile : memref<32x32xf32, #sums>)
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @fill_part() kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    %part = memref.subview %tile[0, 0] [16, 32] [1, 1] : memref<32x32xf32, #sums> to memref<16x32xf32, strided<[32, 1]>, #sums>
    %zero = arith.constant 0.0 : f32
    // expected-error@+1 {{fills a part of a tile in registers, for which lanes have no code}}
    linalg.fill ins(%zero : f32) outs(%part : memref<16x32xf32, strided<[32, 1]>, #sums>)
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @copy_to_part(%x: memref<64x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    %shared = memref.alloc() : memref<32x32xf32, #heddle.workgroup>
    %part = memref.subview %shared[0, 0] [16, 32] [1, 1] : memref<32x32xf32, #heddle.workgroup> to memref<16x32xf32, strided<[32, 1]>, #heddle.workgroup>
    // expected-error@-1 {{is an operation on tiles that lanes have no code for}}
    heddle.tile_copy %x[%c0, %c0] into %part : memref<64x64xf32>, memref<16x32xf32, strided<[32, 1]>, #heddle.workgroup>
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @copy_from_registers() kernel {
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    %shared = memref.alloc() : memref<32x32xf32, #heddle.workgroup>
    // expected-error@+1 {{expects a source in global memory, found 'memref<32x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>'}}
    heddle.tile_copy %tile[%c0, %c0] into %shared : memref<32x32xf32, #sums>, memref<32x32xf32, #heddle.workgroup>
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @unranked() kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    // expected-error@+1 {{is an operation on tiles that lanes have no code for}}
    %any = memref.cast %tile : memref<32x32xf32, #sums> to memref<*xf32, #sums>
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @layout() kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    // expected-error@+1 {{expects a tile of static size without a layout, found 'memref<32x4xf32, strided<[1, 32]>, #heddle.workgroup>'}}
    %shared = memref.alloc() : memref<32x4xf32, strided<[1, 32]>, #heddle.workgroup>
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @dynamic(%n: index) kernel {
    // expected-error@+1 {{cannot distribute a tile of type 'memref<?x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>' over lanes}}
    %tile = memref.alloc(%n) : memref<?x32xf32, #sums>
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @argument(%tile: memref<32x32xf32, #sums>) kernel {
    %own = memref.alloc() : memref<32x32xf32, #sums>
    %zero = arith.constant 0.0 : f32
    // expected-error@+1 {{expects a tile in registers that the kernel allocates, found 'memref<32x32xf32, #heddle.fragments<#heddle.fma<f32>, 2 x 1>>'}}
    linalg.fill ins(%zero : f32) outs(%tile : memref<32x32xf32, #sums>)
    gpu.return
  }
}

// -----
gpu.module @device {
  // expected-error@+1 {{has tiles in workgroup memory but none in registers; tiles in registers determine the number of threads}}
  gpu.func @no_registers() kernel {
    %shared = memref.alloc() : memref<32x32xf32, #heddle.workgroup>
    gpu.return
  }
}

// -----
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 2 x 1>
gpu.module @device {
  gpu.func @part(%x: memref<64x128xf32>) kernel {
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() : memref<2x128xf32, #rows>
    %part = memref.subview %tile[0, 0] [1, 128] [1, 1] : memref<2x128xf32, #rows> to memref<1x128xf32, strided<[128, 1]>, #rows>
    // expected-error@+1 {{copies into a part of a tile in registers, for which lanes have no code}}
    heddle.tile_copy %x[%c0, %c0] into %part : memref<64x128xf32>, memref<1x128xf32, strided<[128, 1]>, #rows>
    gpu.return
  }
}
