// RUN: heddle-opt %s --heddle-expand-for-ptx --canonicalize | FileCheck %s

// One instruction rounds two neighbouring elements of a vector.
// CHECK-LABEL: @vector
func.func @vector(%x: vector<4xf32>) -> vector<4xbf16> {
  // CHECK-COUNT-2: nvvm.convert.f32x2.to.bf16x2
  // CHECK-NOT: arith.truncf
  %0 = arith.truncf %x : vector<4xf32> to vector<4xbf16>
  return %0 : vector<4xbf16>
}

// CHECK-LABEL: @elements
// CHECK-SAME: %[[LOW:.*]]: f32, %[[HIGH:.*]]: f32
func.func @elements(%low: f32, %high: f32) -> vector<2xf16> {
  // CHECK: nvvm.convert.f32x2.to.f16x2 %[[HIGH]], %[[LOW]]
  %0 = arith.truncf %low : f32 to f16
  %1 = arith.truncf %high : f32 to f16
  %2 = vector.from_elements %0, %1 : vector<2xf16>
  return %2 : vector<2xf16>
}

// Elements that are not neighbours are rounded one by one, and so are elements of other types. A rounding mode other
// than the default is kept.
// CHECK-LABEL: @others
func.func @others(%x: f32, %y: vector<3xf32>, %z: vector<2xf64>, %v: vector<2xf32>)
    -> (bf16, vector<3xbf16>, vector<2xbf16>, vector<2xbf16>) {
  // CHECK-COUNT-3: arith.truncf
  // CHECK: arith.truncf {{.*}} toward_zero : vector<2xf32> to vector<2xbf16>
  %0 = arith.truncf %x : f32 to bf16
  %1 = arith.truncf %y : vector<3xf32> to vector<3xbf16>
  %2 = arith.truncf %z : vector<2xf64> to vector<2xbf16>
  %3 = arith.truncf %v toward_zero : vector<2xf32> to vector<2xbf16>
  return %0, %1, %2, %3 : bf16, vector<3xbf16>, vector<2xbf16>, vector<2xbf16>
}
