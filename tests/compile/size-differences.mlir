// Where no second choice of numbers for the sizes compiles, the reason is said.
// RUN: %python %source/tests/exit_status.py 1 heddle compile %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: sizes cannot lie in a range here: what is compiled is not the same for all of them (a task needs a buffer whose size lies in a range)

// Heads as long as each number that stands for a size when it is compiled again.
module attributes {heddle.sizes = [{name = "n", low = 1 : i64, high = 50 : i64, stands = 4001 : i64}]} {
  func.func @main(%x: tensor<1x1x4001x101xf32>, %y: tensor<1x1x4001x139xf32>, %z: tensor<1x1x4001x181xf32>)
      -> (tensor<1x1x4001x101xf32>, tensor<1x1x4001x139xf32>, tensor<1x1x4001x181xf32>) {
    %0 = heddle.attention %x, %x, %x : (tensor<1x1x4001x101xf32>, tensor<1x1x4001x101xf32>, tensor<1x1x4001x101xf32>) -> tensor<1x1x4001x101xf32>
    %1 = heddle.attention %y, %y, %y : (tensor<1x1x4001x139xf32>, tensor<1x1x4001x139xf32>, tensor<1x1x4001x139xf32>) -> tensor<1x1x4001x139xf32>
    %2 = heddle.attention %z, %z, %z : (tensor<1x1x4001x181xf32>, tensor<1x1x4001x181xf32>, tensor<1x1x4001x181xf32>) -> tensor<1x1x4001x181xf32>
    return %0, %1, %2 : tensor<1x1x4001x101xf32>, tensor<1x1x4001x139xf32>, tensor<1x1x4001x181xf32>
  }
}
