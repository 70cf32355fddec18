// RUN: heddle-opt %s --heddle-expand-math | FileCheck %s

// Math functions become polynomials and operations on the bits of floats, without calls of a library.
// CHECK-LABEL: @exp
// CHECK-NOT: math.exp
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK: arith.shli {{.*}} : vector<16xi32>
// CHECK-NOT: math.exp
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// The exp of a softmax has no positive argument, so no result overflows. The code clamps x from below. No select
// follows the polynomial: the result is a product.
// CHECK-LABEL: @exp_of_softmax
// CHECK: arith.cmpf
// CHECK-COUNT-7: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
// CHECK-NOT: arith.select
// CHECK: arith.mulf
// CHECK-NEXT: return
func.func @exp_of_softmax(%x: vector<16xf32>) -> vector<16xf32> {
  %y = heddle.exp_nonpositive %x : vector<16xf32>
  return %y : vector<16xf32>
}

// For 2^x, x is not multiplied by log2(e) to find its integral and fractional parts, so there are two fewer
// multiply-adds.
// CHECK-LABEL: @exp2_of_softmax
// CHECK-COUNT-5: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
// CHECK: arith.mulf
// CHECK-NEXT: return
func.func @exp2_of_softmax(%x: vector<16xf32>) -> vector<16xf32> {
  %y = heddle.exp2_nonpositive %x : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: @gelu_functions
// CHECK-NOT: math.erf
// CHECK-NOT: math.tanh
// CHECK: return
func.func @gelu_functions(%x: vector<4x16xf32>) -> (vector<4x16xf32>, vector<4x16xf32>) {
  %erf = math.erf %x : vector<4x16xf32>
  %tanh = math.tanh %x : vector<4x16xf32>
  return %erf, %tanh : vector<4x16xf32>, vector<4x16xf32>
}

// CHECK-LABEL: @square_root_is_an_instruction
// CHECK: math.sqrt
func.func @square_root_is_an_instruction(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.sqrt %x : vector<16xf32>
  return %y : vector<16xf32>
}
