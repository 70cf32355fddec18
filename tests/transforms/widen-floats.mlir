// RUN: heddle-opt %s --heddle-widen-floats | FileCheck %s

// Arguments, weights and results of a model in f16 keep their type. Computations are in f32, and the result is rounded
// once.
// CHECK-LABEL: @main
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf16>) -> tensor<2x3xf16>
func.func @main(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  // CHECK: %[[XW:.*]] = heddle.dequantize %[[X]] : tensor<2x3xf16> -> tensor<2x3xf32>
  // CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<2x3xf32>
  %one = arith.constant dense<1.0> : tensor<2x3xf16>
  // CHECK: %[[W:.*]] = heddle.weight "w" : tensor<2x3xf16>
  // CHECK: %[[WW:.*]] = heddle.dequantize %[[W]]
  %w = heddle.weight "w" : tensor<2x3xf16>
  // CHECK: %[[SUM:.*]] = arith.addf %[[XW]], %[[ONE]] : tensor<2x3xf32>
  %0 = arith.addf %x, %one : tensor<2x3xf16>
  // CHECK: %[[PRODUCT:.*]] = arith.mulf %[[SUM]], %[[WW]] : tensor<2x3xf32>
  %1 = arith.mulf %0, %w : tensor<2x3xf16>
  // CHECK: %[[RESULT:.*]] = arith.truncf %[[PRODUCT]] : tensor<2x3xf32> to tensor<2x3xf16>
  // CHECK: return %[[RESULT]]
  return %1 : tensor<2x3xf16>
}

// Operations in the bodies of other operations also compute in f32.
// CHECK-LABEL: @body
func.func @body(%x: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
  %e = tensor.empty() : tensor<2x3xbf16>
  // CHECK: linalg.map { math.exp } ins(%{{.*}} : tensor<2x3xf32>) outs(%{{.*}} : tensor<2x3xf32>)
  %0 = linalg.map { math.exp } ins(%x : tensor<2x3xbf16>) outs(%e : tensor<2x3xbf16>)
  return %0 : tensor<2x3xbf16>
}

// Roundings that the model itself contains (%0, %2) remain. A conversion of an argument in f16 to a wider type reads
// the argument's value in f32.
// CHECK-LABEL: @casts
func.func @casts(%x: tensor<3xf32>, %i: tensor<3xi64>, %y: tensor<3xf16>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xi16>, tensor<3xf64>) {
  // CHECK: %[[Y:.*]] = heddle.dequantize
  // CHECK: %[[R:.*]] = arith.truncf %{{.*}} : tensor<3xf32> to tensor<3xf16>
  // CHECK: %[[RW:.*]] = arith.extf %[[R]] : tensor<3xf16> to tensor<3xf32>
  %0 = arith.truncf %x : tensor<3xf32> to tensor<3xf16>
  %1 = arith.extf %0 : tensor<3xf16> to tensor<3xf32>
  // CHECK: %[[I:.*]] = arith.sitofp %{{.*}} : tensor<3xi64> to tensor<3xbf16>
  // CHECK: %[[IW:.*]] = arith.extf %[[I]] : tensor<3xbf16> to tensor<3xf32>
  %2 = arith.sitofp %i : tensor<3xi64> to tensor<3xbf16>
  %3 = arith.extf %2 : tensor<3xbf16> to tensor<3xf32>
  // CHECK: %[[B:.*]] = arith.bitcast %{{.*}} : tensor<3xf16> to tensor<3xi16>
  %4 = arith.bitcast %y : tensor<3xf16> to tensor<3xi16>
  // CHECK: %[[D:.*]] = arith.extf %[[Y]] : tensor<3xf32> to tensor<3xf64>
  %5 = arith.extf %y : tensor<3xf16> to tensor<3xf64>
  // CHECK: return %[[RW]], %[[IW]], %[[B]], %[[D]]
  return %1, %3, %4, %5 : tensor<3xf32>, tensor<3xf32>, tensor<3xi16>, tensor<3xf64>
}

// New keys are rounded to f16 before they are appended to a cache, and keys are read from the cache in f16. Arguments
// that are returned unchanged keep their type.
// CHECK-LABEL: @cache
// CHECK-SAME: (%[[PAST:.*]]: tensor<1x2x4xf16>, %[[X:.*]]: tensor<1x1x4xf16>)
func.func @cache(%past: tensor<1x2x4xf16>, %x: tensor<1x1x4xf16>) -> (tensor<1x3x4xf16>, tensor<1x3x4xf16>, tensor<1x1x4xf16>) {
  // CHECK: %[[NEW:.*]] = arith.negf %{{.*}} : tensor<1x1x4xf32>
  %new = arith.negf %x : tensor<1x1x4xf16>
  // CHECK: %[[ROUNDED:.*]] = arith.truncf %[[NEW]] : tensor<1x1x4xf32> to tensor<1x1x4xf16>
  // CHECK: %[[ALL:.*]] = tensor.concat dim(1) %[[PAST]], %[[ROUNDED]] : (tensor<1x2x4xf16>, tensor<1x1x4xf16>) -> tensor<1x3x4xf16>
  // CHECK: %[[WIDE:.*]] = heddle.dequantize %[[ALL]]
  %all = tensor.concat dim(1) %past, %new : (tensor<1x2x4xf16>, tensor<1x1x4xf16>) -> tensor<1x3x4xf16>
  // CHECK: %[[EXP:.*]] = math.exp %[[WIDE]] : tensor<1x3x4xf32>
  %exp = math.exp %all : tensor<1x3x4xf16>
  // CHECK: %[[RESULT:.*]] = arith.truncf %[[EXP]]
  // CHECK: return %[[RESULT]], %[[ALL]], %[[X]]
  return %exp, %all, %x : tensor<1x3x4xf16>, tensor<1x3x4xf16>, tensor<1x1x4xf16>
}

// heddle.append rounds new rows of a state when it writes them. Operations that read the state read values in f32.
// CHECK-LABEL: @state
// CHECK-SAME: (%[[STATE:.*]]: tensor<1x1x8x4xf16>, %[[X:.*]]: tensor<1x1x1x4xf32>, %[[PAST:.*]]: tensor<1xi64>)
func.func @state(%state: tensor<1x1x8x4xf16>, %x: tensor<1x1x1x4xf32>, %past: tensor<1xi64>) -> (tensor<1x1x8x4xf16>, tensor<1x1x8x4xf32>) {
  // CHECK: %[[AFTER:.*]] = heddle.append %[[X]] into %[[STATE]] at %[[PAST]] : tensor<1x1x1x4xf32> into tensor<1x1x8x4xf16>, tensor<1xi64>
  %0 = heddle.append %x into %state at %past : tensor<1x1x1x4xf32> into tensor<1x1x8x4xf16>, tensor<1xi64>
  // CHECK: %[[WIDE:.*]] = heddle.dequantize %[[AFTER]] : tensor<1x1x8x4xf16> -> tensor<1x1x8x4xf32>
  // CHECK: math.exp %[[WIDE]] : tensor<1x1x8x4xf32>
  %1 = heddle.dequantize %0 : tensor<1x1x8x4xf16> -> tensor<1x1x8x4xf32>
  %2 = math.exp %1 : tensor<1x1x8x4xf32>
  // CHECK: return %[[AFTER]]
  return %0, %2 : tensor<1x1x8x4xf16>, tensor<1x1x8x4xf32>
}
