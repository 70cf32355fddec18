// RUN: heddle-opt %s --pass-pipeline="builtin.module(gpu.module(heddle-convert-to-nvvm))" | FileCheck %s

// If sizes lie in ranges, the first buffer of a kernel is the beginning of the arena, which contains the sizes of the
// call. This argument gets the annotation heddle.arena, so that SubstituteSizes.cpp can later replace placeholders by
// sizes that the kernel reads from the arena.
module attributes {heddle.sizes = [{name = "m", low = 1, high = 8, placeholder = 4001}]} {
  gpu.module @device {
    // CHECK: llvm.func @k(%{{.*}}: !llvm.ptr {heddle.arena}, %{{.*}}: !llvm.ptr)
    gpu.func @k(%frame: memref<16xi32>, %m: memref<4001xf32>) kernel {
      gpu.return
    }
  }
}
