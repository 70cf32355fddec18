// RUN: heddle-opt %s --heddle-refuse-low-precision | FileCheck %s
// RUN: heddle-opt %s --heddle-refuse-low-precision="elements=f32,bf16" | FileCheck %s
// RUN: not heddle-opt %s --heddle-refuse-low-precision="elements=f32,f64" 2>&1 | FileCheck %s --check-prefix=REFUSED

// The pass reports an error if a module contains elements of a type that the device cannot store. The option `elements`
// lists the types that the device can store; without the option, any type is accepted.
// CHECK: arith.extf {{.*}} : tensor<4xbf16> to tensor<4xf32>
// REFUSED: error: elements of type 'bf16' are supported only on CPUs, not on devices yet
func.func @main(%x: tensor<4xbf16>) -> tensor<4xf32> {
  %0 = arith.extf %x : tensor<4xbf16> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
