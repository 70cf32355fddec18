// RUN: heddle-opt %s --pass-pipeline="builtin.module(gpu.module(heddle-convert-to-nvvm))" | FileCheck %s

// Where sizes lie in ranges, a kernel's first buffer is the arena, which OpenSizes reads them from.
module attributes {heddle.sizes = [{name = "m", low = 1, high = 8, stands = 4001}]} {
  gpu.module @device {
    // CHECK: llvm.func @k(%{{.*}}: !llvm.ptr {heddle.arena}, %{{.*}}: !llvm.ptr)
    gpu.func @k(%frame: memref<16xi32>, %m: memref<4001xf32>) kernel {
      gpu.return
    }
  }
}
