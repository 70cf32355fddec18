// RUN: heddle-opt %s --heddle-tiles-to-lanes -split-input-file -verify-diagnostics

#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @row_sums(%out: memref<32xf32>) kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    // expected-error@+1 {{has a result whose elements are not in one lane each}}
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
    // expected-error@+1 {{expects all tiles in registers in one layout and without a transposition}}
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
  gpu.func @in_workgroup_memory(%out: memref<32x32xf32>) kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    %shared = memref.alloc() : memref<32x32xf32, #heddle.workgroup>
    // expected-error@+1 {{reads a tile in workgroup memory element by element, or writes a part of one, which lanes have no code for}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%tile, %shared : memref<32x32xf32, #sums>, memref<32x32xf32, #heddle.workgroup>) outs(%out : memref<32x32xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    }
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 2 x 1>
gpu.module @device {
  gpu.func @vector_result(%out: memref<32xf32>) kernel {
    %tile = memref.alloc() : memref<32x32xf32, #sums>
    // expected-error@+1 {{has a result whose elements are not in one lane each}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%tile : memref<32x32xf32, #sums>) outs(%out : memref<32xf32>) {
    ^bb0(%x: f32, %old: f32):
      linalg.yield %x : f32
    }
    gpu.return
  }
}

// -----
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 1 x 1>
gpu.module @device {
  gpu.func @difference() kernel {
    %tile = memref.alloc() : memref<1x128xf32, #rows>
    %sums = memref.alloc() : memref<1xf32, #rows>
    // expected-error@+1 {{combines the elements of a row by an operation that is not a sum, product, maximum or minimum of f32}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                    iterator_types = ["parallel", "reduction"]}
        ins(%tile : memref<1x128xf32, #rows>) outs(%sums : memref<1xf32, #rows>) {
    ^bb0(%x: f32, %sum: f32):
      %y = arith.subf %x, %sum : f32
      linalg.yield %y : f32
    }
    gpu.return
  }
}

// -----
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 1 x 1>
gpu.module @device {
  gpu.func @columns() kernel {
    %tile = memref.alloc() : memref<1x128xf32, #rows>
    %sums = memref.alloc() : memref<1x128xf32, #rows>
    // expected-error@+1 {{is an operation on tiles that is neither elementwise nor along their rows}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>],
                    iterator_types = ["reduction", "parallel"]}
        ins(%tile : memref<1x128xf32, #rows>) outs(%sums : memref<1x128xf32, #rows>) {
    ^bb0(%x: f32, %sum: f32):
      %y = arith.addf %x, %sum : f32
      linalg.yield %y : f32
    }
    gpu.return
  }
}

// -----
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 1 x 1>
gpu.module @device {
  gpu.func @other_rows(%out: memref<1x128xf32>) kernel {
    %tile = memref.alloc() : memref<1x128xf32, #rows>
    %sums = memref.alloc() : memref<4xf32, #heddle.fragments<#heddle.rows<f32, 8 x 4>, 1 x 1>>
    %first = memref.subview %sums[0] [1] [1] : memref<4xf32, #heddle.fragments<#heddle.rows<f32, 8 x 4>, 1 x 1>> to memref<1xf32, strided<[1]>, #heddle.fragments<#heddle.rows<f32, 8 x 4>, 1 x 1>>
    // expected-error@+1 {{reads elements of rows that are in other lanes than the rows}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%tile, %first : memref<1x128xf32, #rows>, memref<1xf32, strided<[1]>, #heddle.fragments<#heddle.rows<f32, 8 x 4>, 1 x 1>>)
        outs(%out : memref<1x128xf32>) {
    ^bb0(%x: f32, %sum: f32, %old: f32):
      %y = arith.addf %x, %sum : f32
      linalg.yield %y : f32
    }
    gpu.return
  }
}

// -----
// Each element of the first result is the sum of the elements of the row up to this one.
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 1 x 1>
gpu.module @device {
  gpu.func @scan(%out: memref<1x128xf32>) kernel {
    %tile = memref.alloc() : memref<1x128xf32, #rows>
    %sums = memref.alloc() : memref<1xf32, #rows>
    // expected-error@+1 {{uses the partial results of a reduction along a row, for which lanes have no code}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                    iterator_types = ["parallel", "reduction"]}
        ins(%tile : memref<1x128xf32, #rows>) outs(%out, %sums : memref<1x128xf32>, memref<1xf32, #rows>) {
    ^bb0(%x: f32, %old: f32, %sum: f32):
      %y = arith.addf %sum, %x : f32
      linalg.yield %y, %y : f32, f32
    }
    gpu.return
  }
}

// -----
// Each element of the first result is the sum of the elements of the row before this one.
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 1 x 1>
gpu.module @device {
  gpu.func @exclusive_scan(%out: memref<1x128xf32>) kernel {
    %tile = memref.alloc() : memref<1x128xf32, #rows>
    %sums = memref.alloc() : memref<1xf32, #rows>
    // expected-error@+1 {{uses the partial results of a reduction along a row, for which lanes have no code}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                    iterator_types = ["parallel", "reduction"]}
        ins(%tile : memref<1x128xf32, #rows>) outs(%out, %sums : memref<1x128xf32>, memref<1xf32, #rows>) {
    ^bb0(%x: f32, %old: f32, %sum: f32):
      %y = arith.addf %sum, %x : f32
      linalg.yield %sum, %y : f32, f32
    }
    gpu.return
  }
}

// -----
// %row is the first row of %out, so a lane may read an element of %row after another lane has written it.
#sums = #heddle.fragments<#heddle.fma<f32>, 1 x 1>
gpu.module @device {
  gpu.func @row_of_result(%out: memref<16x32xf32>) kernel {
    %tile = memref.alloc() : memref<16x32xf32, #sums>
    %row = memref.subview %out[0, 0] [1, 32] [1, 1] : memref<16x32xf32> to memref<32xf32>
    // expected-error@+1 {{accesses the memory of operand #2 through operand #1 in another order than it writes it}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%tile, %row : memref<16x32xf32, #sums>, memref<32xf32>) outs(%out : memref<16x32xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    }
    gpu.return
  }
}

// -----
// The parts overlap, but have different elements at the same indices.
#sums = #heddle.fragments<#heddle.fma<f32>, 1 x 1>
gpu.module @device {
  gpu.func @shifted(%all: memref<17x32xf32>) kernel {
    %tile = memref.alloc() : memref<16x32xf32, #sums>
    %from = memref.subview %all[0, 0] [16, 32] [1, 1] : memref<17x32xf32> to memref<16x32xf32, strided<[32, 1]>>
    %to = memref.subview %all[1, 0] [16, 32] [1, 1] : memref<17x32xf32> to memref<16x32xf32, strided<[32, 1], offset: 32>>
    // expected-error@+1 {{accesses the memory of operand #2 through operand #1 in another order than it writes it}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%tile, %from : memref<16x32xf32, #sums>, memref<16x32xf32, strided<[32, 1]>>)
        outs(%to : memref<16x32xf32, strided<[32, 1], offset: 32>>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    }
    gpu.return
  }
}

// -----
#sums = #heddle.fragments<#heddle.fma<f32>, 1 x 1>
gpu.module @device {
  gpu.func @two_results(%out: memref<16x32xf32>) kernel {
    %tile = memref.alloc() : memref<16x32xf32, #sums>
    // expected-error@+1 {{accesses the memory of operand #2 through operand #1 in another order than it writes it}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%tile : memref<16x32xf32, #sums>) outs(%out, %out : memref<16x32xf32>, memref<16x32xf32>) {
    ^bb0(%x: f32, %first: f32, %second: f32):
      %y = arith.negf %x : f32
      linalg.yield %x, %y : f32, f32
    }
    gpu.return
  }
}

// -----
// The sums of rows are read while they are added up.
#rows = #heddle.fragments<#heddle.rows<f32, 32 x 4>, 1 x 1>
gpu.module @device {
  gpu.func @own_sums() kernel {
    %tile = memref.alloc() : memref<1x128xf32, #rows>
    %sums = memref.alloc() : memref<1xf32, #rows>
    // expected-error@+1 {{accesses the memory of operand #2 through operand #1 in another order than it writes it}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                    iterator_types = ["parallel", "reduction"]}
        ins(%tile, %sums : memref<1x128xf32, #rows>, memref<1xf32, #rows>) outs(%sums : memref<1xf32, #rows>) {
    ^bb0(%x: f32, %before: f32, %sum: f32):
      %y = arith.mulf %x, %before : f32
      %z = arith.addf %sum, %y : f32
      linalg.yield %z : f32
    }
    gpu.return
  }
}
