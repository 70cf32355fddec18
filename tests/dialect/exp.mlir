// The exponentials of a softmax, whose operands are at most 0, are parsed and printed. They exist for f32 only,
// because the approximations that replace them are for f32.
// RUN: heddle-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @printed
// CHECK: heddle.exp_nonpositive %{{.*}} : f32
// CHECK: heddle.exp2_nonpositive %{{.*}} : vector<2x16xf32>
func.func @printed(%x: f32, %y: vector<2x16xf32>) -> (f32, vector<2x16xf32>) {
  %0 = heddle.exp_nonpositive %x : f32
  %1 = heddle.exp2_nonpositive %y : vector<2x16xf32>
  return %0, %1 : f32, vector<2x16xf32>
}

// -----

func.func @wide(%x: f64) -> f64 {
  // expected-error @below {{operand #0 must be f32 or a vector of f32, but got 'f64'}}
  %0 = heddle.exp_nonpositive %x : f64
  return %0 : f64
}
