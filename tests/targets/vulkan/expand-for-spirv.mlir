// RUN: heddle-opt %s --heddle-expand-for-spirv | FileCheck %s

// Operations without a SPIR-V instruction are expanded: trunc, comparisons that are always true, and arithmetic and
// signed comparisons of i1, which are computed in i32.
// CHECK-LABEL: @main
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<3x5xf32>, %[[D:[a-z0-9]*]]: tensor<3x5xf64>, %[[A:[a-z0-9]*]]: tensor<3x5xi1>, %[[B:[a-z0-9]*]]: tensor<3x5xi1>
func.func @main(%x: tensor<3x5xf32>, %d: tensor<3x5xf64>, %a: tensor<3x5xi1>, %b: tensor<3x5xi1>)
    -> (tensor<3x5xf32>, tensor<3x5xf64>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xf32>, tensor<3x5xi1>) {
  // CHECK: %[[ABS:.*]] = math.absf %[[X]]
  // CHECK: %[[FLOOR:.*]] = math.floor %[[ABS]]
  // CHECK: math.copysign %[[FLOOR]], %[[X]]
  %0 = math.trunc %x : tensor<3x5xf32>
  // CHECK: math.copysign {{.*}}, %[[D]]
  %1 = math.trunc %d : tensor<3x5xf64>
  %2 = arith.cmpf true, %x, %x : tensor<3x5xf32>
  // CHECK-DAG: %[[SA:.*]] = arith.extsi %[[A]] : tensor<3x5xi1> to tensor<3x5xi32>
  // CHECK-DAG: %[[SB:.*]] = arith.extsi %[[B]]
  // CHECK: %[[SUM:.*]] = arith.addi %[[SA]], %[[SB]] : tensor<3x5xi32>
  // CHECK: arith.trunci %[[SUM]]
  %3 = arith.addi %a, %b : tensor<3x5xi1>
  // CHECK: arith.cmpi slt, {{.*}} : tensor<3x5xi32>
  %4 = arith.cmpi slt, %a, %b : tensor<3x5xi1>
  // CHECK: arith.cmpi ult, %[[A]], %[[B]] : tensor<3x5xi1>
  %5 = arith.cmpi ult, %a, %b : tensor<3x5xi1>
  // CHECK: arith.sitofp {{.*}} : tensor<3x5xi32> to tensor<3x5xf32>
  %6 = arith.sitofp %a : tensor<3x5xi1> to tensor<3x5xf32>
  // CHECK: arith.extui
  // CHECK: arith.maxui {{.*}} : tensor<3x5xi32>
  %7 = arith.maxui %a, %b : tensor<3x5xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3x5xf32>, tensor<3x5xf64>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xf32>, tensor<3x5xi1>
}
