// RUN: heddle-opt %s --pass-pipeline='builtin.module(spirv.module(heddle-decorate-spirv))' | FileCheck %s

// The pass restricts what a driver may do with the code. Storage buffers may alias, sums and products must not be
// contracted to multiply-adds, barriers also order accesses to storage buffers, and arithmetic in each float type of
// the module keeps signed zeros, infinities, NaN and denormals.
// CHECK: spirv.GlobalVariable @x bind(0, 0) {aliased}
// CHECK-NOT: aliased
// CHECK: spirv.GlobalVariable @w
// CHECK: spirv.FAdd %{{.*}}, %{{.*}} {no_contraction}
// CHECK: spirv.FMul %{{.*}}, %{{.*}} {no_contraction}
// CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|UniformMemory|WorkgroupMemory>
// CHECK: spirv.EntryPoint "GLCompute" @k
// CHECK: spirv.ExecutionMode @k "SignedZeroInfNanPreserve", 32
// CHECK-NEXT: spirv.ExecutionMode @k "DenormPreserve", 32
// CHECK-NEXT: spirv.ExecutionMode @k "SignedZeroInfNanPreserve", 64
// CHECK-NEXT: spirv.ExecutionMode @k "DenormPreserve", 64
// CHECK-NOT: spirv.ExecutionMode
spirv.module Logical GLSL450 {
  spirv.GlobalVariable @x bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.array<4 x f32, stride=4> [0])>, StorageBuffer>
  spirv.GlobalVariable @w : !spirv.ptr<!spirv.array<4 x f32>, Workgroup>
  spirv.func @f(%a: f32, %b: f32) -> f32 "None" {
    %0 = spirv.FAdd %a, %b : f32
    %1 = spirv.FMul %0, %b : f32
    spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
    spirv.ReturnValue %1 : f32
  }
  spirv.func @k() "None" {
    %0 = spirv.Constant dense<2.0> : vector<4xf64>
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @k
}
