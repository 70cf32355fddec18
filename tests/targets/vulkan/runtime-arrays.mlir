// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(spirv.module(heddle-runtime-arrays))' | FileCheck %s

// If sizes lie in ranges, the length of a buffer may be a multiple of a placeholder, which has no meaning at run time.
// Such buffers become runtime arrays, whose length is that of the memory that a call passes. Workgroup memory is
// unchanged.
module attributes {heddle.sizes = [{name = "rows", low = 1, high = 9, placeholder = 4001}]} {
  spirv.module Logical GLSL450 {
    // CHECK: @x bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
    spirv.GlobalVariable @x bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.array<4001 x f32, stride=4> [0])>, StorageBuffer>
    // CHECK: @w : !spirv.ptr<!spirv.struct<(!spirv.array<4 x f32>)>, Workgroup>
    spirv.GlobalVariable @w : !spirv.ptr<!spirv.struct<(!spirv.array<4 x f32>)>, Workgroup>
    spirv.func @f(%i: i32) "None" {
      %zero = spirv.Constant 0 : i32
      // CHECK: spirv.mlir.addressof @x : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
      %x = spirv.mlir.addressof @x : !spirv.ptr<!spirv.struct<(!spirv.array<4001 x f32, stride=4> [0])>, StorageBuffer>
      // CHECK: spirv.AccessChain {{.*}} : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
      %p = spirv.AccessChain %x[%zero, %i] : !spirv.ptr<!spirv.struct<(!spirv.array<4001 x f32, stride=4> [0])>, StorageBuffer>, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
      spirv.Return
    }
  }
}

// -----

// Without sizes in ranges, nothing changes.
spirv.module Logical GLSL450 {
  // CHECK: spirv.array<7 x f32, stride=4>
  spirv.GlobalVariable @x bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.array<7 x f32, stride=4> [0])>, StorageBuffer>
}
