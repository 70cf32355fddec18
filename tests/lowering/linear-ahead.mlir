// RUN: heddle-opt %s --transform-interpreter --split-input-file | FileCheck %s

// Three row tiles bring the next panel of 48 columns into the cache, 16 columns each; the last panel's next is itself.
// CHECK-DAG: #[[$NEXT:.*]] = affine_map<(d0) -> (d0 + 1, 1)>
// CHECK-DAG: #[[$LINE:.*]] = affine_map<(d0, d1) -> (d0 * 3072 + (d1 floordiv 8) * 1024 - ((d1 floordiv 8) floordiv 3) * 3072)>
// CHECK-LABEL: func.func @ahead
// CHECK: tensor.collapse_shape %{{.*}} : tensor<2x64x48xf32> into tensor<6144xf32>
// CHECK: affine.min #[[$NEXT]]
// CHECK: affine.apply #[[$LINE]]
// CHECK: tensor.extract_slice %{{.*}} [64] [16] : tensor<6144xf32> to tensor<64xf32>
// CHECK: attrs = {heddle.prefetch = 3 : i64}
func.func @ahead(%x: tensor<24x64xf32>, %w: tensor<2x64x48xf32>) -> tensor<24x96xf32> {
  %0 = heddle.linear %x, %w : (tensor<24x64xf32>, tensor<2x64x48xf32>) -> tensor<24x96xf32>
  return %0 : tensor<24x96xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %ahead = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %ahead, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// Twelve tiles share the panel: four times as many as have columns of their own, each a line at every fourth step.
// CHECK-DAG: #[[$PACE:.*]] = affine_map<(d0, d1, d2) -> (d2 floordiv 4)>
// CHECK-LABEL: func.func @many_rows
// CHECK: tensor.extract_slice %{{.*}} [16] [16] : tensor<49152xf32> to tensor<16xf32>
// CHECK: linalg.generic {{.*}}#[[$PACE]]{{.*}} attrs = {heddle.prefetch = 3 : i64}
func.func @many_rows(%x: tensor<96x64xf32>, %w: tensor<16x64x48xf32>) -> tensor<96x768xf32> {
  %0 = heddle.linear %x, %w : (tensor<96x64xf32>, tensor<16x64x48xf32>) -> tensor<96x768xf32>
  return %0 : tensor<96x768xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %ahead = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %ahead, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// Two tiles for three lines a step: each brings one at every step and one at every second, into the second cache.
// CHECK-DAG: #[[$STEP:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG: #[[$SECOND:.*]] = affine_map<(d0, d1, d2) -> (d2 floordiv 2)>
// CHECK-LABEL: func.func @two_tiles
// CHECK: tensor.extract_slice %{{.*}} [64] [16] : tensor<6144xf32> to tensor<64xf32>
// CHECK: tensor.extract_slice %{{.*}} [32] [16] : tensor<6144xf32> to tensor<32xf32>
// CHECK: linalg.generic {{.*}}#[[$STEP]], #[[$SECOND]]{{.*}} attrs = {heddle.prefetch = 2 : i64}
func.func @two_tiles(%x: tensor<16x64xf32>, %w: tensor<2x64x48xf32>) -> tensor<16x96xf32> {
  %0 = heddle.linear %x, %w : (tensor<16x64xf32>, tensor<2x64x48xf32>) -> tensor<16x96xf32>
  return %0 : tensor<16x96xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %ahead = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 2 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %ahead, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// Fewer rows than asked for.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT: heddle.prefetch
// CHECK: linalg.matmul
func.func @few_rows(%x: tensor<15x64xf32>, %w: tensor<2x64x48xf32>) -> tensor<15x96xf32> {
  %0 = heddle.linear %x, %w : (tensor<15x64xf32>, tensor<2x64x48xf32>) -> tensor<15x96xf32>
  return %0 : tensor<15x96xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %ahead = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %ahead, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// 16 rows of panels of 16 columns, of which 6 fit into registers: four equal tiles, each with a quarter of the lines.
// CHECK-LABEL: func.func @equal_tiles
// CHECK: tensor.extract_slice %{{.*}} [16] [16] : tensor<6144xf32> to tensor<16xf32>
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<4x16xf32>) attrs = {heddle.prefetch = 3 : i64}
// CHECK-NOT: heddle.prefetch
func.func @equal_tiles(%x: tensor<16x64xf32>, %w: tensor<6x64x16xf32>) -> tensor<16x96xf32> {
  %0 = heddle.linear %x, %w : (tensor<16x64xf32>, tensor<6x64x16xf32>) -> tensor<16x96xf32>
  return %0 : tensor<16x96xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 16 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 6 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %ahead = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %ahead, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// A contraction that the pace does not divide: parts of 17 lines, the last one ends with the panel.
// CHECK-LABEL: func.func @odd
// CHECK: affine.min {{.*}}
// CHECK: tensor.extract_slice %{{.*}} [17] [16] : tensor<49920xf32> to tensor<17xf32>
// CHECK: attrs = {heddle.prefetch = 3 : i64}
func.func @odd(%x: tensor<96x65xf32>, %w: tensor<16x65x48xf32>) -> tensor<96x768xf32> {
  %0 = heddle.linear %x, %w : (tensor<96x65xf32>, tensor<16x65x48xf32>) -> tensor<96x768xf32>
  return %0 : tensor<96x768xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %ahead = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %ahead, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// A panel that is alone has no next one.
// CHECK-LABEL: func.func @one_panel
// CHECK-NOT: heddle.prefetch
func.func @one_panel(%x: tensor<96x64xf32>, %w: tensor<1x64x48xf32>) -> tensor<96x48xf32> {
  %0 = heddle.linear %x, %w : (tensor<96x64xf32>, tensor<1x64x48xf32>) -> tensor<96x48xf32>
  return %0 : tensor<96x48xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %ahead = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %ahead, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// Few rows go along three panels at a time: every fourth step asks for one of the first 64 lines of each that comes next.
// CHECK-DAG: #[[$FOURTH:.*]] = affine_map<(d0, d1, d2) -> (d2 floordiv 4)>
// CHECK-DAG: #[[$FIRST:.*]] = affine_map<(d0) -> (d0 * 12288)>
// CHECK-DAG: #[[$SECOND:.*]] = affine_map<(d0) -> (d0 * 12288 + 4096)>
// CHECK-DAG: #[[$THIRD:.*]] = affine_map<(d0) -> (d0 * 12288 + 8192)>
// CHECK-LABEL: func.func @starts
// CHECK: affine.apply #[[$FIRST]]
// CHECK: tensor.extract_slice %{{.*}} [64] [16] : tensor<24576xf32> to tensor<64xf32>
// CHECK: affine.apply #[[$SECOND]]
// CHECK: affine.apply #[[$THIRD]]
// CHECK: linalg.generic {{.*}}#[[$FOURTH]], #[[$FOURTH]], #[[$FOURTH]]{{.*}} attrs = {heddle.prefetch = 3 : i64}
func.func @starts(%x: tensor<4x256xf32>, %w: tensor<6x256x16xf32>) -> tensor<4x96xf32> {
  %0 = heddle.linear %x, %w : (tensor<4x256xf32>, tensor<6x256x16xf32>) -> tensor<4x96xf32>
  return %0 : tensor<4x96xf32>
}
// Three rows wait for memory anyway.
// CHECK-LABEL: func.func @three_rows
// CHECK-NOT: heddle.prefetch
// CHECK: return
func.func @three_rows(%x: tensor<3x256xf32>, %w: tensor<6x256x16xf32>) -> tensor<3x96xf32> {
  %0 = heddle.linear %x, %w : (tensor<3x256xf32>, tensor<6x256x16xf32>) -> tensor<3x96xf32>
  return %0 : tensor<3x96xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %ahead = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %ahead, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
