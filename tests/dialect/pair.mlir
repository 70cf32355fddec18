// heddle.pair packs two f32 numbers as bf16 into one 32-bit word. heddle.pair_dot adds the two products of the numbers
// in two such words to a sum. Both operations are parsed and printed for vectors and scalars. The vectors must have the
// same shape.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @pairs
func.func @pairs(%a: vector<16xf32>, %b: vector<16xf32>, %x: f32, %sums: vector<16xf32>) {
  // CHECK: %[[P:.*]] = heddle.pair %{{.*}}, %{{.*}} : vector<16xf32> to vector<16xi32>
  %p = heddle.pair %a, %b : vector<16xf32> to vector<16xi32>
  // CHECK: %[[Q:.*]] = heddle.pair %{{.*}}, %{{.*}} : f32 to i32
  %q = heddle.pair %x, %x : f32 to i32
  // CHECK: heddle.pair_dot %[[P]], %[[P]], %{{.*}} : vector<16xi32>, vector<16xf32>
  %0 = heddle.pair_dot %p, %p, %sums : vector<16xi32>, vector<16xf32>
  // CHECK: heddle.pair_dot %[[Q]], %[[Q]], %{{.*}} : i32, f32
  %1 = heddle.pair_dot %q, %q, %x : i32, f32
  return
}

// -----
func.func @shapes(%a: vector<16xf32>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %p = heddle.pair %a, %a : vector<16xf32> to vector<8xi32>
  return
}
