// RUN: heddle-opt %s --heddle-check-states | FileCheck %s

// The pass stores facts about states, which the library needs in each call, as annotations, because later passes lower
// the operations that contain these facts. heddle.state_sizes contains the number of sequences (2), the capacity (40
// rows) and the number of new rows in each call (3). heddle.state_replaced marks a state that each call replaces as a
// whole.
// CHECK: module attributes {heddle.state_sizes = array<i64: 2, 40, 3>}
// CHECK: func.func @main({{.*}}: tensor<2x1x40x4xf32> {heddle.state = "key"}, {{.*}}: tensor<2x5xf32> {heddle.state = "memory", heddle.state_replaced}) ->
module {
  func.func @main(%key: tensor<2x1x3x4xf32>, %past: tensor<2xi64> {heddle.state_past},
                  %keys: tensor<2x1x40x4xf32> {heddle.state = "key"}, %memory: tensor<2x5xf32> {heddle.state = "memory"})
      -> (tensor<2x1x40x4xf32> {heddle.state = "key"}, tensor<2x5xf32> {heddle.state = "memory"}) {
    %0 = heddle.append %key into %keys at %past : tensor<2x1x3x4xf32> into tensor<2x1x40x4xf32>, tensor<2xi64>
    %1 = math.exp %memory : tensor<2x5xf32>
    return %0, %1 : tensor<2x1x40x4xf32>, tensor<2x5xf32>
  }
}
