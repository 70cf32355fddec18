// Only the state after the last position is a result of the model; the results of the positions are unused. The results
// of the positions must not be stored: the number of positions lies in a range, so the scratch memory of a task, whose
// size is fixed, could not hold them.
// RUN: heddle verify %s | FileCheck %s --implicit-check-not=FAIL
// CHECK-COUNT-3: n={{.*}} [2, 1, 4, 4] f32 {{.*}}: ok
module attributes {heddle.sizes = [{high = 40 : i64, low = 1 : i64, name = "n", placeholder = 4001 : i64}]} {
  func.func @main(%q: tensor<2x4001x3x4xf32>, %k: tensor<2x4001x1x4xf32>) -> tensor<2x1x4x4xf32> {
    %result, %state = heddle.recurrent_attention %q, %k, %k
      : (tensor<2x4001x3x4xf32>, tensor<2x4001x1x4xf32>, tensor<2x4001x1x4xf32>) -> (tensor<2x4001x3x4xf32>, tensor<2x1x4x4xf32>)
    return %state : tensor<2x1x4x4xf32>
  }
}
