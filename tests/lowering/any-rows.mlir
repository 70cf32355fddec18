// RUN: heddle-opt %s --transform-interpreter | FileCheck %s

// The number of rows of this norm is known only at run time. The number of tasks is limited so that each task has
// enough work. A task of at least four rows is cut into tiles of four rows; the last tile begins earlier if necessary,
// so that it has four rows, too. A task of two or three rows is cut into tiles of two, and a task of one row is a tile
// of one.
// CHECK-LABEL: func.func @rows
// CHECK: %[[ROWS:.*]] = heddle.size "rows"
// CHECK: %[[TASKS:.*]] = affine.min #{{.*}}()[%[[ROWS]]]
// CHECK: scf.forall (%{{.*}}) in (%[[TASKS]])
// CHECK: %[[COUNT:.*]] = arith.subi
// CHECK: tensor.extract_slice {{.*}} tensor<4001x384xf32> to tensor<?x384xf32>
// CHECK: arith.cmpi sge, %[[COUNT]], %c4{{.*}}
// CHECK: %[[LAST:.*]] = arith.subi %[[COUNT]], %c4{{.*}}
// CHECK: scf.for %[[AT:.*]] = %c0{{.*}} to %[[COUNT]] step %c4
// CHECK: arith.minsi %[[AT]], %[[LAST]]
// CHECK: tensor<4x384xf32>
// CHECK: arith.cmpi sge, %[[COUNT]], %c2{{.*}}
// CHECK: tensor<2x384xf32>
// CHECK: scf.for {{.*}} to %[[COUNT]] step %c1
// CHECK: tensor<1x384xf32>
// CHECK: tensor.parallel_insert_slice {{.*}} tensor<?x384xf32> into tensor<4001x384xf32>
module attributes {transform.with_named_sequence, heddle.sizes = [{name = "rows", low = 1, high = 512, placeholder = 4001}]} {
  func.func @rows(%x: tensor<4001x384xf32>) -> tensor<4001x384xf32> {
    %0 = heddle.rms_norm %x : (tensor<4001x384xf32>) -> tensor<4001x384xf32>
    return %0 : tensor<4001x384xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %norm = transform.structured.match ops{["heddle.rms_norm"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 4 : i64 -> !transform.param<i64>
    transform.heddle.lower_norm %norm rows(%rows) : !transform.any_op
    transform.yield
  }
}
