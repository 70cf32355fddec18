// RUN: heddle-opt %s --heddle-tile="target=cuda strategy=attention=attention-tiles" | FileCheck %s

// Scores are f32. Elements of a bias in f64 are rounded, and elements in f16 are extended.
// CHECK-LABEL: @wide
// CHECK: %[[ROUNDED:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.addf %{{.*}}, %[[ROUNDED]] : f32
func.func private @wide(%q: tensor<2x2x70x8xf32>, %k: tensor<2x2x90x8xf32>, %b: tensor<70x90xf64>, %out: tensor<2x2x70x8xf32> {bufferization.writable = true}) -> tensor<2x2x70x8xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %k bias(%b) : (tensor<2x2x70x8xf32>, tensor<2x2x90x8xf32>, tensor<2x2x90x8xf32>, tensor<70x90xf64>) -> tensor<2x2x70x8xf32>
  return %0 : tensor<2x2x70x8xf32>
}

// CHECK-LABEL: @narrow
// CHECK: %[[EXTENDED:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: arith.addf %{{.*}}, %[[EXTENDED]] : f32
func.func private @narrow(%q: tensor<2x2x70x8xf32>, %k: tensor<2x2x90x8xf32>, %b: tensor<70x90xf16>, %out: tensor<2x2x70x8xf32> {bufferization.writable = true}) -> tensor<2x2x70x8xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %k bias(%b) : (tensor<2x2x70x8xf32>, tensor<2x2x90x8xf32>, tensor<2x2x90x8xf32>, tensor<70x90xf16>) -> tensor<2x2x70x8xf32>
  return %0 : tensor<2x2x70x8xf32>
}
