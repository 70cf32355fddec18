// heddle.layer_norm and heddle.rms_norm are printed and parsed again, in their own form and in the generic form.
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s -mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: @layer_norm
func.func @layer_norm(%x: tensor<2x3x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x3x8xf32> {
  // CHECK: heddle.layer_norm %arg0 : (
  %0 = heddle.layer_norm %x : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  // CHECK: heddle.layer_norm %{{.*}} scale(%arg1) bias(%arg2) residual(%arg0) epsilon(1.0e-12) : (
  %1 = heddle.layer_norm %0 bias(%b) scale(%g) residual(%x) epsilon(1.0e-12)
     : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %1 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @rms_norm
func.func @rms_norm(%x: tensor<?x8xbf16>, %g: tensor<8xbf16>) -> tensor<?x8xbf16> {
  // CHECK: heddle.rms_norm %arg0 scale(%arg1) residual(%arg0) : (
  %0 = heddle.rms_norm %x scale(%g) residual(%x) : (tensor<?x8xbf16>, tensor<8xbf16>, tensor<?x8xbf16>) -> tensor<?x8xbf16>
  return %0 : tensor<?x8xbf16>
}
