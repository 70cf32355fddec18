// RUN: heddle-opt %s --pass-pipeline='builtin.module(func.func(heddle-linalg-to-loops))' | FileCheck %s

// Operations on tiles remain, and others become loops.
// CHECK-LABEL: func.func @fills
// CHECK: linalg.fill {{.*}} outs(%{{.*}} : memref<16x32xf32, #heddle.fragments
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %arg0
// CHECK-NOT: linalg.fill
func.func @fills(%x: memref<7xf32>) {
  %zero = arith.constant 0.0 : f32
  %tile = memref.alloc() : memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 1 x 1>>
  linalg.fill ins(%zero : f32) outs(%tile : memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 1 x 1>>)
  linalg.fill ins(%zero : f32) outs(%x : memref<7xf32>)
  return
}
