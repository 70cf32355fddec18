// heddle.weight is a stored weight; after `via` is its recipe, the steps that are applied to the weight when a library
// is written. Recipes are parsed, printed and parsed again. The name of each function except @recipes begins with the
// label of the constraint in ops/Weight.td that the function violates.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @recipes
func.func @recipes() -> (tensor<3x2xf32>, tensor<3x5xf16>) {
  // CHECK: heddle.weight "w" : tensor<3x2xf32>
  %0 = heddle.weight "w" : tensor<3x2xf32>
  // CHECK: heddle.weight "w" via [#heddle.transpose<[1, 0]>, #heddle.slice<[0, 4], [3, 5]>, #heddle.cast<f16>] : tensor<3x5xf16>
  %1 = heddle.weight "w" via [#heddle.transpose<[1, 0]>, #heddle.slice<[0, 4], [3, 5]>, #heddle.cast<f16>] : tensor<3x5xf16>
  // CHECK: heddle.weight "w" via [#heddle.concat<0, {{\[\[}}"v", [#heddle.reshape<[8, 8]>]]]>, #heddle.pack<32>] : tensor<1x16x32xf32>
  %2 = heddle.weight "w" via [#heddle.concat<0, [["v", [#heddle.reshape<[8, 8]>]]]>, #heddle.pack<32>] : tensor<1x16x32xf32>
  // CHECK: heddle.weight "w" via [#heddle.reshape<[2, 9]>, #heddle.pack<2 x 3>] : tensor<3x2x2x2xf32>
  %3 = heddle.weight "w" via [#heddle.reshape<[2, 9]>, #heddle.pack<2 x 3>] : tensor<3x2x2x2xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<3x5xf16>
}

// -----
func.func @c1_numbers() {
  // expected-error@+1 {{recipe step #0 #heddle.numbers<[4294967296]>: expected numbers that fit into 32 bits (C1)}}
  %0 = heddle.weight "w" via [#heddle.numbers<[4294967296]>] : tensor<1xi32>
  return
}

// -----
func.func @c1_kept_bits() {
  // expected-error@+1 {{recipe step #1 #heddle.kept_bits<-1>: expected a list of i32, and a count of at least 0 (C1)}}
  %0 = heddle.weight "w" via [#heddle.numbers<[3]>, #heddle.kept_bits<-1>] : tensor<1xi32>
  return
}

// -----
func.func @c2_kept_bits() {
  // expected-error@+1 {{result has shape [8], expected [9] as the recipe gives (C2)}}
  %0 = heddle.weight "w" via [#heddle.numbers<[3]>, #heddle.kept_bits<8>] : tensor<8xi32>
  return
}

// -----
func.func @c1_step() {
  // expected-error@+1 {{recipe step #0 1 : i64: expected a step of a recipe (C1)}}
  %0 = heddle.weight "w" via [1] : tensor<3x2xf32>
  return
}

// -----
func.func @c1_permutation() {
  // expected-error@+1 {{recipe step #0 #heddle.transpose<[0, 2]>: [0, 2] is not a permutation (C1)}}
  %0 = heddle.weight "w" via [#heddle.transpose<[0, 2]>] : tensor<3x2xf32>
  return
}

// -----
func.func @c1_reshape() {
  // expected-error@+1 {{recipe step #1 #heddle.reshape<[7]>: [7] has another number of elements than [2, 3] (C1)}}
  %0 = heddle.weight "w" via [#heddle.reshape<[2, 3]>, #heddle.reshape<[7]>] : tensor<7xf32>
  return
}

// -----
func.func @c1_slice() {
  // expected-error@+1 {{recipe step #1 #heddle.slice<[4], [3]>: [4], [3] is outside [6] (C1)}}
  %0 = heddle.weight "w" via [#heddle.reshape<[6]>, #heddle.slice<[4], [3]>] : tensor<3xf32>
  return
}

// -----
func.func @c1_pack() {
  // expected-error@+1 {{recipe step #1 #heddle.pack<32>: only a matrix can be packed, not rank 1 (C1)}}
  %0 = heddle.weight "w" via [#heddle.reshape<[6]>, #heddle.pack<32>] : tensor<1x6x32xf32>
  return
}

// -----
func.func @c1_interleaved() {
  // expected-error@+1 {{recipe step #0 #heddle.pack<2 x 0>: the number of interleaved panels is 0, expected at least 1 (C1)}}
  %0 = heddle.weight "w" via [#heddle.pack<2 x 0>] : tensor<1x6x2xf32>
  return
}

// -----
func.func @c2_shape() {
  // expected-error@+1 {{result has shape [2, 6, 16], expected [1, 2, 32] as the recipe gives (C2)}}
  %0 = heddle.weight "w" via [#heddle.reshape<[2, 3]>, #heddle.pack<32>] : tensor<2x6x16xf32>
  return
}

// -----
func.func @c2_element() {
  // expected-error@+1 {{result has element type 'f32', expected 'f16' as the recipe gives (C2)}}
  %0 = heddle.weight "w" via [#heddle.cast<f16>] : tensor<2xf32>
  return
}

// -----
func.func @c1_unpack() {
  // expected-error@+1 {{recipe step #1 #heddle.unpack<#heddle.q4_1, scales>: expected i8 in rows of whole blocks, which have 20 bytes (C1)}}
  %0 = heddle.weight "w" via [#heddle.numbers<[1]>, #heddle.unpack<#heddle.q4_1, scales>] : tensor<1xf32>
  return
}

// -----
func.func @c1_offsets() {
  // expected-error@+1 {{recipe step #3 #heddle.unpack<#heddle.q4_0, offsets>: the format has no offsets (C1)}}
  %0 = heddle.weight "w" via [#heddle.numbers<[0, 1, 2, 3, 4, 5, 6, 7, 8]>, #heddle.bytes, #heddle.reshape<[36]>, #heddle.unpack<#heddle.q4_0, offsets>] : tensor<1xf32>
  return
}
