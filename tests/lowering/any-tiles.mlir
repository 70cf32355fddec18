// RUN: heddle-opt %s --split-input-file --transform-interpreter | FileCheck %s

// transform.heddle.lower_general lowers an elementwise operation on a tensor with two sizes in ranges. There is one
// task for each batch entry and share of its rows. A task computes tiles of 16 rows and then the remaining rows one by
// one. No row is computed twice.
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
    heddle.sizes = [{name = "batch", low = 1, high = 8, placeholder = 4001}, {name = "rows", low = 1, high = 512, placeholder = 4003}]} {
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

// -----

// This is a sum over a dimension whose size lies in a range. A tile of the result stays in registers; 16 rows are added
// to it at a time, and then the remaining rows one by one. The number of tasks depends on the work of the whole sum.
// CHECK-LABEL: func.func @sum
// CHECK: %[[TASKS:.*]] = affine.min #{{.*}}()[%{{.*}}, %{{.*}}]
// CHECK: scf.forall (%{{.*}}) in (%[[TASKS]])
// CHECK: linalg.fill {{.*}} outs(%{{.*}} : tensor<16x32xf32>)
// CHECK: %[[REST:.*]] = arith.remui %[[COUNT:.*]], %c16
// CHECK: %[[WHOLE:.*]] = arith.subi %[[COUNT]], %[[REST]]
// CHECK: scf.for %{{.*}} to %[[WHOLE]] step %c16{{.*}} -> (tensor<16x32xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<16x16x32xf32>) outs(%{{.*}} : tensor<16x32xf32>)
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[COUNT]] step %c1{{.*}} -> (tensor<16x32xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<16x1x32xf32>)
#all = affine_map<(b, s, d) -> (b, s, d)>
#kept = affine_map<(b, s, d) -> (b, d)>
module attributes {transform.with_named_sequence,
    heddle.sizes = [{name = "batch", low = 1, high = 8, placeholder = 4001}, {name = "rows", low = 1, high = 512, placeholder = 4003}]} {
  func.func @sum(%x: tensor<4001x4003x32xf32>) -> tensor<4001x32xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4001x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4001x32xf32>) -> tensor<4001x32xf32>
    %0 = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "reduction", "parallel"]}
        ins(%x : tensor<4001x4003x32xf32>) outs(%f : tensor<4001x32xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
    } -> tensor<4001x32xf32>
    return %0 : tensor<4001x32xf32>
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

// -----

// A result without uses is computed only into a tile: neither the task nor the kernel returns it.
// CHECK-LABEL: func.func @unread
// CHECK: scf.forall (%{{.*}}) in (%{{.*}}) shared_outs(%{{.*}} = %{{.*}}) -> (tensor<4001xi64>)
// CHECK: scf.for {{.*}} -> (tensor<?xi64>)
// CHECK: %[[OWN:.*]] = tensor.empty() : tensor<16xf32>
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[OWN]] : tensor<16xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<16xf32>, tensor<16xi64>)
#cell = affine_map<(i, j) -> (i, j)>
#line = affine_map<(i, j) -> (i)>
module attributes {transform.with_named_sequence, heddle.sizes = [{name = "rows", low = 1, high = 512, placeholder = 4001}]} {
  func.func @unread(%x: tensor<4001x7xf32>) -> tensor<4001xi64> {
    %f = arith.constant dense<0xFF800000> : tensor<4001xf32>
    %n = arith.constant dense<0> : tensor<4001xi64>
    %0:2 = linalg.generic {indexing_maps = [#cell, #line, #line], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4001x7xf32>) outs(%f, %n : tensor<4001xf32>, tensor<4001xi64>) {
    ^bb0(%in: f32, %most: f32, %at: i64):
      %j = linalg.index 1 : index
      %here = arith.index_cast %j : index to i64
      %more = arith.cmpf ogt, %in, %most : f32
      %value = arith.select %more, %in, %most : f32
      %place = arith.select %more, %here, %at : i64
      linalg.yield %value, %place : f32, i64
    } -> (tensor<4001xf32>, tensor<4001xi64>)
    return %0#1 : tensor<4001xi64>
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

// -----

// A softmax along a dimension whose size lies in a range is decomposed. Its maximum starts from -inf.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.fill ins(%[[LOWEST]] : f32)
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK-NOT: linalg.softmax dim
module attributes {transform.with_named_sequence, heddle.sizes = [{name = "keys", low = 1, high = 512, placeholder = 4001}]} {
  func.func @softmax(%x: tensor<8x4001xf32>) -> tensor<8x4001xf32> {
    %e = tensor.empty() : tensor<8x4001xf32>
    %0 = linalg.softmax dimension(1) ins(%x : tensor<8x4001xf32>) outs(%e : tensor<8x4001xf32>) -> tensor<8x4001xf32>
    return %0 : tensor<8x4001xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 8 : i64 -> !transform.param<i64>
    transform.heddle.lower_softmax %op rows(%rows) : !transform.any_op
    transform.yield
  }
}
