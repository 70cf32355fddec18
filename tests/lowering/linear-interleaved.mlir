// RUN: heddle-opt %s --transform-interpreter --split-input-file | FileCheck %s

// A panel is a group of neighbouring columns of the weight that are stored together. A tile is as wide as three
// interleaved panels together and reads one group of such panels. The 124 columns fill two groups and end in the second
// panel of the third group; the tile of this group reads only two panels.
// CHECK-LABEL: func.func @all
// CHECK: scf.forall (%{{.*}}, %[[I:.*]]) in (1, 2)
// CHECK: tensor.extract_slice %{{.*}}[0, %[[I]], 0, 0] [3, 1, 8, 16] [1, 1, 1, 1] : tensor<3x3x8x16xf32> to tensor<3x8x16xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, {{.*}}, 0, 0] [2, 1, 8, 16] [1, 1, 1, 1] : tensor<3x3x8x16xf32> to tensor<2x8x16xf32>
func.func @all(%x: tensor<4x8xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<4x124xf32> {
  %0 = heddle.linear %x, %w : (tensor<4x8xf32>, tensor<3x3x8x16xf32>) -> tensor<4x124xf32>
  return %0 : tensor<4x124xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
}
// -----
// Each tile reads one panel. The order of tiles is the order of panels in memory: first come the panels that are the
// first in their groups, with columns from 0 and 48 on, then the second panels of the groups, with columns from 16 and
// 64 on, and so on. All panels are full.
// CHECK-DAG: #[[$REST:.*]] = affine_map<(d0) -> (d0 - 6)>
// CHECK-DAG: #[[$BESIDE:.*]] = affine_map<(d0) -> (d0 floordiv 2)>
// CHECK-DAG: #[[$ALONG:.*]] = affine_map<(d0) -> (d0 mod 2)>
// CHECK-DAG: #[[$COLUMN:.*]] = affine_map<(d0) -> (d0 * 48 - (d0 floordiv 2) * 80)>
// CHECK-LABEL: func.func @full
// CHECK: scf.forall (%{{.*}}, %[[I:.*]]) in (1, 6)
// CHECK-DAG: %[[B:.*]] = affine.apply #[[$BESIDE]](%[[I]])
// CHECK-DAG: %[[A:.*]] = affine.apply #[[$ALONG]](%[[I]])
// CHECK-DAG: affine.apply #[[$COLUMN]](%[[I]])
// CHECK: tensor.extract_slice %{{.*}}[%[[B]], %[[A]], 0, 0] [1, 1, 8, 16]
func.func @full(%x: tensor<4x8xf32>, %w: tensor<3x2x8x16xf32>) -> tensor<4x96xf32> {
  %0 = heddle.linear %x, %w : (tensor<4x8xf32>, tensor<3x2x8x16xf32>) -> tensor<4x96xf32>
  return %0 : tensor<4x96xf32>
}
// The third group has one full panel, which is a task in the same loop as the six full panels of the other groups, and
// a panel of 12 columns, which is a task of its own.
// CHECK-LABEL: func.func @rest
// CHECK: scf.forall (%{{.*}}, %[[I:.*]]) in (1, 7)
// CHECK-DAG: %[[R:.*]] = affine.apply #[[$REST]](%[[I]])
// CHECK-DAG: %[[B:.*]] = affine.apply #[[$BESIDE]](%[[I]])
// CHECK-DAG: %[[A:.*]] = affine.apply #[[$ALONG]](%[[I]])
// CHECK: %[[FULL:.*]] = arith.cmpi ult, %[[I]], %c6
// CHECK-DAG: %[[BESIDE:.*]] = arith.select %[[FULL]], %[[B]], %[[R]]
// CHECK-DAG: %[[ALONG:.*]] = arith.select %[[FULL]], %[[A]], %c2
// CHECK: tensor.extract_slice %{{.*}}[%[[BESIDE]], %[[ALONG]], 0, 0] [1, 1, 8, 16]
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (1, 1)
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 2, 0, 0] [1, 1, 8, 12]
func.func @rest(%x: tensor<4x8xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<4x124xf32> {
  %0 = heddle.linear %x, %w : (tensor<4x8xf32>, tensor<3x3x8x16xf32>) -> tensor<4x124xf32>
  return %0 : tensor<4x124xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %panel = transform.param.constant 16 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 6 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
}
