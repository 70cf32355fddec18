// RUN: heddle-opt %s --transform-interpreter | FileCheck %s

// A task for each batch and share of the rows; in it tiles of 16 rows, then one by one: none comes twice.
// CHECK-LABEL: func.func @general
// CHECK-DAG: %[[BATCH:.*]] = heddle.size "batch"
// CHECK-DAG: %[[ROWS:.*]] = heddle.size "rows"
// CHECK: %[[TASKS:.*]] = affine.min {{.*}}[%[[ROWS]]]
// CHECK: scf.forall (%[[B:.*]], %{{.*}}) in (%[[BATCH]], %[[TASKS]])
// CHECK: tensor.extract_slice %{{.*}}[%[[B]], %{{.*}}, 0] [1, %[[COUNT:.*]], 32] [1, 1, 1] : tensor<4001x4003x32xf32> to tensor<1x?x32xf32>
// CHECK: %[[WHOLE:.*]] = arith.muli
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[WHOLE]] step %c16
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x16x32xf32>)
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[COUNT]] step %c1
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x32xf32>)
// CHECK: tensor.parallel_insert_slice {{.*}} tensor<1x?x32xf32> into tensor<4001x4003x32xf32>
#all = affine_map<(b, s, d) -> (b, s, d)>
#row = affine_map<(b, s, d) -> (s, d)>
module attributes {transform.with_named_sequence,
    heddle.sizes = [{name = "batch", low = 1, high = 8, stands = 4001}, {name = "rows", low = 1, high = 512, stands = 4003}]} {
  func.func @general(%x: tensor<4001x4003x32xf32>, %y: tensor<4003x32xf32>) -> tensor<4001x4003x32xf32> {
    %e = tensor.empty() : tensor<4001x4003x32xf32>
    %0 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x, %y : tensor<4001x4003x32xf32>, tensor<4003x32xf32>) outs(%e : tensor<4001x4003x32xf32>) {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %s = arith.addf %a, %c : f32
      linalg.yield %s : f32
    } -> tensor<4001x4003x32xf32>
    return %0 : tensor<4001x4003x32xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %func = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
}
