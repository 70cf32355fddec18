// RUN: heddle-opt %s --heddle-pipeline="to=plan mcpu=x86-64-v3" | FileCheck %s

// The kernel that appends rows to a state and the kernel of the attention have the same argument for this state. The
// arena contains no buffer of the size of a state, and no kernel copies more than a new row.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[KEYS:[^:]*]]: memref<2x2x40x16xf32> {{{[^}]*}}heddle.state = "key"
// CHECK-SAME: %[[VALUES:[^:]*]]: memref<2x2x40x16xf32> {{{[^}]*}}heddle.state = "value"
// CHECK-NOT: memref.copy
// CHECK: call @k{{.*}}(%{{.*}}, %{{.*}}, %[[KEYS]]
// CHECK: call @k{{.*}}(%{{.*}}, %{{.*}}, %[[VALUES]]
// CHECK: call @k{{.*}}(%{{.*}}, %[[KEYS]], %[[VALUES]]
// CHECK-NEXT: return
// CHECK-NOT: memref.copy {{.*}}40x16xf32{{.*}} to 
func.func @main(%query: tensor<2x4x3x16xf32>, %key: tensor<2x2x3x16xf32>, %value: tensor<2x2x3x16xf32>,
                %past: tensor<2xi64> {heddle.state_past}, %keys: tensor<2x2x40x16xf32> {heddle.state = "key"},
                %values: tensor<2x2x40x16xf32> {heddle.state = "value"})
    -> (tensor<2x4x3x16xf32>, tensor<2x2x40x16xf32> {heddle.state = "key"}, tensor<2x2x40x16xf32> {heddle.state = "value"}) {
  %0 = heddle.append %key into %keys at %past : tensor<2x2x3x16xf32> into tensor<2x2x40x16xf32>, tensor<2xi64>
  %1 = heddle.append %value into %values at %past : tensor<2x2x3x16xf32> into tensor<2x2x40x16xf32>, tensor<2xi64>
  %three = arith.constant dense<3> : tensor<2xi64>
  %lengths = arith.addi %past, %three : tensor<2xi64>
  %out = heddle.attention %query, %0, %1 key_lengths(%lengths) causal(lower_right)
     : (tensor<2x4x3x16xf32>, tensor<2x2x40x16xf32>, tensor<2x2x40x16xf32>, tensor<2xi64>) -> tensor<2x4x3x16xf32>
  return %out, %0, %1 : tensor<2x4x3x16xf32>, tensor<2x2x40x16xf32>, tensor<2x2x40x16xf32>
}
