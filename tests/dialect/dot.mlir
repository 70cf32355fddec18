// heddle.dot adds the products of 2 or 4 neighbouring narrow elements to each lane of an accumulator. It is parsed and
// printed for each combination of types; combinations that no CPU supports violate constraint C1 or C2.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @dot
func.func @dot(%a: vector<64xi8>, %b: vector<32xbf16>, %w: vector<32xi16>, %n: vector<32xi8>, %i: vector<16xi32>, %f: vector<16xf32>, %h: vector<16xi16>) {
  // CHECK: heddle.dot %{{.*}}, %{{.*}}, %{{.*}} unsigned : vector<64xi8>, vector<16xi32>
  %0 = heddle.dot %a, %a, %i unsigned : vector<64xi8>, vector<16xi32>
  // CHECK: heddle.dot %{{.*}}, %{{.*}}, %{{.*}} : vector<32xbf16>, vector<16xf32>
  %1 = heddle.dot %b, %b, %f : vector<32xbf16>, vector<16xf32>
  // CHECK: heddle.dot %{{.*}}, %{{.*}}, %{{.*}} : vector<32xi16>, vector<16xi32>
  %2 = heddle.dot %w, %n, %i : vector<32xi16>, vector<16xi32>
  // CHECK: heddle.dot %{{.*}}, %{{.*}}, %{{.*}} unsigned : vector<32xi8>, vector<16xi16>
  %3 = heddle.dot %n, %n, %h unsigned : vector<32xi8>, vector<16xi16>
  return
}

// -----
func.func @c1(%a: vector<32xi8>, %i: vector<16xi32>) {
  // expected-error@+1 {{expects 4 elements of i8 or 2 of i16 for each sum of i32, 2 of i8 for each sum of i16, or 2 of bf16 for each sum of f32, found 'vector<32xi8>' and 'vector<16xi32>' (C1)}}
  %0 = heddle.dot %a, %a, %i : vector<32xi8>, vector<16xi32>
  return
}

// -----
func.func @c1_words(%w: vector<32xi16>, %n: vector<32xi8>, %i: vector<8xi32>) {
  // expected-error@+1 {{expects 4 elements of i8 or 2 of i16 for each sum of i32, 2 of i8 for each sum of i16, or 2 of bf16 for each sum of f32, found 'vector<32xi16>' and 'vector<8xi32>' (C1)}}
  %0 = heddle.dot %w, %n, %i : vector<32xi16>, vector<8xi32>
  return
}

// -----
func.func @c2_words(%w: vector<32xi16>, %n: vector<32xi8>, %i: vector<16xi32>) {
  // expected-error@+1 {{only elements of i8 can be unsigned (C2)}}
  %0 = heddle.dot %w, %n, %i unsigned : vector<32xi16>, vector<16xi32>
  return
}

// -----
func.func @c2(%b: vector<32xbf16>, %f: vector<16xf32>) {
  // expected-error@+1 {{only elements of i8 can be unsigned (C2)}}
  %0 = heddle.dot %b, %b, %f unsigned : vector<32xbf16>, vector<16xf32>
  return
}

// -----
func.func @c1_narrow(%n: vector<64xi8>, %h: vector<16xi16>) {
  // expected-error@+1 {{found 'vector<64xi8>' and 'vector<16xi16>' (C1)}}
  %0 = heddle.dot %n, %n, %h : vector<64xi8>, vector<16xi16>
  return
}

// -----
func.func @c1_narrow_words(%w: vector<32xi16>, %n: vector<32xi8>, %h: vector<16xi16>) {
  // expected-error@+1 {{found 'vector<32xi16>' and 'vector<16xi16>' (C1)}}
  %0 = heddle.dot %w, %n, %h : vector<32xi16>, vector<16xi16>
  return
}
