// heddle.size is the value of a size in the current call. It is parsed and printed, and CSE merges equal operations.
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --cse | FileCheck %s --check-prefix=CSE

// CHECK: module attributes {heddle.sizes = [{high = 512 : i64, low = 1 : i64, name = "length", placeholder = 4001 : i64}]}
module attributes {heddle.sizes = [{name = "length", low = 1, high = 512, placeholder = 4001}]} {
  // CHECK: heddle.size "length"
  // CSE: heddle.size "length"
  // CSE-NEXT: return
  func.func @twice() -> (index, index) {
    %0 = heddle.size "length"
    %1 = heddle.size "length"
    return %0, %1 : index, index
  }
}
