// RUN: heddle-opt %s --heddle-check-indices --split-input-file --verify-diagnostics | FileCheck %s

// heddle.checked_index is expanded to operations that replace an index out of range by 0, so that the model can read an
// element in any case. The additional result of @main is not 0 if any index was out of range.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[I:[a-z0-9]*]]: tensor<5xi64>, %[[J:[a-z0-9]*]]: tensor<i32>
// CHECK-SAME: -> (tensor<5xi64>, tensor<i32>, tensor<i32> {heddle.index_check})
// CHECK: %[[NONE:.*]] = linalg.fill {{.*}} -> tensor<i32>
// CHECK: %[[ANY:.*]] = linalg.generic {{.*}}["reduction"]} ins(%[[I]] : tensor<5xi64>) outs(%[[NONE]] : tensor<i32>)
// CHECK: %[[IN:.*]]: i64, %[[OUT:.*]]: i32
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[IN]]
// CHECK: %[[MORE:.*]] = arith.addi %[[IN]], %{{.*}} : i64
// CHECK: %[[NUMBER:.*]] = arith.select %[[NEGATIVE]], %[[MORE]], %[[IN]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[NUMBER]], %{{.*}} : i64
// CHECK: %[[OUTSIDE:.*]] = arith.select %[[INSIDE]]
// CHECK: arith.ori %[[OUTSIDE]], %[[OUT]]
// CHECK: %[[NUMBERS:.*]] = linalg.generic {{.*}}["parallel"]} ins(%[[I]]
// CHECK: arith.cmpi ult
// CHECK: arith.select
// CHECK: %[[ONE:.*]] = linalg.generic {{.*}} ins(%[[J]] : tensor<i32>)
// CHECK: %[[ALL:.*]] = arith.ori %[[ANY]], %[[ONE]] : tensor<i32>
// CHECK: return %[[NUMBERS]], %{{.*}}, %[[ALL]]
func.func @main(%i: tensor<5xi64>, %j: tensor<i32>) -> (tensor<5xi64>, tensor<i32>) {
  %0 = heddle.checked_index %i of 7 : tensor<5xi64>
  %1 = heddle.checked_index %j of 3 : tensor<i32>
  return %0, %1 : tensor<5xi64>, tensor<i32>
}

// -----

// A function without computed indices gets no additional result.
// CHECK-LABEL: @unchanged
// CHECK-SAME: -> tensor<5xi64> {
func.func @unchanged(%i: tensor<5xi64>) -> tensor<5xi64> {
  return %i : tensor<5xi64>
}

// -----

// If a dimension may be empty, it has no element 0 that could be read instead.

module attributes {heddle.sizes = [{name = "past", low = 0, high = 512, placeholder = 4001}]} {
  func.func @main(%i: tensor<5xi64>) -> tensor<5xi64> {
    // expected-error@+1 {{computes indices into a dimension that is empty in some calls, which is not supported}}
    %0 = heddle.checked_index %i of 4001 : tensor<5xi64>
    return %0 : tensor<5xi64>
  }
}
