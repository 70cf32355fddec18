// heddle.lookup replaces indices by the values of a table.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @lookup
func.func @lookup(%a: vector<5xi8>) -> vector<5xi8> {
  // CHECK: heddle.lookup %{{.*}} in [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12] : vector<5xi8>
  %0 = heddle.lookup %a in [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12] : vector<5xi8>
  return %0 : vector<5xi8>
}

// -----
func.func @c1_count(%a: vector<5xi8>) {
  // expected-error@+1 {{expects 16 values from -128 to 127 (C1)}}
  %0 = heddle.lookup %a in [0, 1, 2, 3] : vector<5xi8>
  return
}

// -----
func.func @c1_range(%a: vector<5xi8>) {
  // expected-error@+1 {{expects 16 values from -128 to 127 (C1)}}
  %0 = heddle.lookup %a in [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, 128] : vector<5xi8>
  return
}
