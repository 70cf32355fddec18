// RUN: heddle-opt %s '--heddle-tile=%{avx512} strategy=attention=attention-rows' | FileCheck %s

// Few queries have their keys in lanes: what is behind them in the last vector is -inf.
// CHECK-LABEL: @fewQueries
// CHECK: %[[COUNT:.*]] = arith.minsi %{{.*}}, %c512
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<2x?xf32>)
// CHECK: %[[VECTORS:.*]] = arith.ceildivui %[[COUNT]], %c16
// CHECK: %[[LANES:.*]] = arith.muli %[[VECTORS]], %c16
// CHECK: %[[BEHIND:.*]] = arith.subi %[[LANES]], %[[COUNT]]
// CHECK: tensor.extract_slice %{{.*}}[0, %[[COUNT]]] [2, %[[BEHIND]]]
// CHECK: linalg.fill ins(%cst{{.*}} : f32) outs({{.*}} : tensor<2x?xf32>)
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<2x?x16xf32>) outs({{.*}} : tensor<2x16xf32>)
module attributes {heddle.sizes = [{name = "skv", low = 1, high = 900, stands = 4001}]} {
  func.func @fewQueries(%q: tensor<1x2x2x8xf32>, %k: tensor<1x2x4001x8xf32>) -> tensor<1x2x2x8xf32> attributes {heddle.kernel} {
    %0 = heddle.attention %q, %k, %k
      : (tensor<1x2x2x8xf32>, tensor<1x2x4001x8xf32>, tensor<1x2x4001x8xf32>) -> tensor<1x2x2x8xf32>
    return %0 : tensor<1x2x2x8xf32>
  }
}
