// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @places
func.func @places() {
  // CHECK: memory_space = #heddle.fragments<#heddle.fma<f32>, 4 x 2>
  %0 = bufferization.alloc_tensor() {memory_space = #heddle.fragments<#heddle.fma<f32>, 4 x 2>} : tensor<128x128xf32>
  // CHECK: memref<16x64xf64, #heddle.fragments<#heddle.fma<f64>, 1 x 2>>
  %4 = memref.alloc() : memref<16x64xf64, #heddle.fragments<#heddle.fma<f64>, 1 x 2>>
  // CHECK: memref<16x128xf32, #heddle.workgroup>
  %1 = memref.alloc() : memref<16x128xf32, #heddle.workgroup>
  // CHECK: memref<128x64xf32, #heddle.fragments<#heddle.mma<bf16>, 2 x 2>>
  %2 = memref.alloc() : memref<128x64xf32, #heddle.fragments<#heddle.mma<bf16>, 2 x 2>>
  // CHECK: memref<4x128xf32, #heddle.fragments<#heddle.rows<f32, 32 x 4>, 4 x 1>>
  %3 = memref.alloc() : memref<4x128xf32, #heddle.fragments<#heddle.rows<f32, 32 x 4>, 4 x 1>>
  return
}

// -----
// expected-error@+2 {{expects elements of f32 or f64, found 'f16'}}
// expected-error@+1 {{failed to parse Heddle_Fragments parameter 'kind'}}
func.func @element(%tile: memref<16x32xf16, #heddle.fragments<#heddle.fma<f16>, 1 x 1>>)

// -----
// expected-error@+2 {{expects factors of bf16 or f16, found 'f32'}}
// expected-error@+1 {{failed to parse Heddle_Fragments parameter 'kind'}}
func.func @matrix(%tile: memref<16x8xf32, #heddle.fragments<#heddle.mma<f32>, 1 x 1>>)

// -----
// expected-error@+1 {{expects 1 to 32 warps, found 0 x 1}}
func.func @warps(%tile: memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 0 x 1>>)

// -----
// expected-error@+1 {{expects 1 to 32 warps, found 4 x 9}}
func.func @many_warps(%tile: memref<64x288xf32, #heddle.fragments<#heddle.fma<f32>, 4 x 9>>)

// -----
// expected-error@+1 {{expects 1 to 32 warps, found 1152921504606846976 x 1}}
func.func @huge(%tile: memref<16x32xf32, #heddle.fragments<#heddle.fma<f32>, 1152921504606846976 x 1>>)

// -----
// expected-error@+2 {{expects elements of f32, found 'f64'}}
// expected-error@+1 {{failed to parse Heddle_Fragments parameter 'kind'}}
func.func @rows_element(%tile: memref<1x128xf64, #heddle.fragments<#heddle.rows<f64, 32 x 4>, 1 x 1>>)

// -----
// expected-error@+2 {{expects a power of two of lanes from 1 to 32, found 12}}
// expected-error@+1 {{failed to parse Heddle_Fragments parameter 'kind'}}
func.func @rows_lanes(%tile: memref<1x128xf32, #heddle.fragments<#heddle.rows<f32, 12 x 4>, 1 x 1>>)

// -----
// expected-error@+2 {{expects 1, 2 or 4 elements of a lane, found 8}}
// expected-error@+1 {{failed to parse Heddle_Fragments parameter 'kind'}}
func.func @rows_width(%tile: memref<1x256xf32, #heddle.fragments<#heddle.rows<f32, 32 x 8>, 1 x 1>>)
