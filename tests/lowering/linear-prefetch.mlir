// RUN: heddle-opt %s --transform-interpreter --split-input-file | FileCheck %s

// Three row tiles prefetch the next panel (48 neighbouring columns of the weight) into the first-level cache, a third
// of its 192 cache lines each. During the last panel, for which there is no next panel, they prefetch the last panel
// itself.
// CHECK-DAG: #[[$NEXT:.*]] = affine_map<(d0) -> (d0 + 1, 1)>
// CHECK-DAG: #[[$LINE:.*]] = affine_map<(d0, d1) -> (d0 * 3072 + (d1 floordiv 8) * 1024 - ((d1 floordiv 8) floordiv 3) * 3072)>
// CHECK-LABEL: func.func @prefetched
// CHECK: tensor.collapse_shape %{{.*}} : tensor<2x64x48xf32> into tensor<6144xf32>
// CHECK: affine.min #[[$NEXT]]
// CHECK: affine.apply #[[$LINE]]
// CHECK: tensor.extract_slice %{{.*}} [64] [16] : tensor<6144xf32> to tensor<64xf32>
// CHECK: attrs = {heddle.prefetch = 3 : i64}
func.func @prefetched(%x: tensor<24x64xf32>, %w: tensor<2x64x48xf32>) -> tensor<24x96xf32> {
  %0 = heddle.linear %x, %w : (tensor<24x64xf32>, tensor<2x64x48xf32>) -> tensor<24x96xf32>
  return %0 : tensor<24x96xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %prefetch_panels = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %prefetch_panels, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// Twelve tiles share the prefetch of a panel. A row of the panel has three cache lines, a quarter of the number of
// tiles, so each tile prefetches one line at every fourth step.
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
    %prefetch_panels = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %prefetch_panels, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// Two tiles share three cache lines per step: each tile prefetches one line at every step and another one at every
// second step, into the second-level cache.
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
    %prefetch_panels = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 2 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %prefetch_panels, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// The parameter `rows` requires at least 16 rows for prefetches. There are fewer rows here, so nothing is prefetched.
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
    %prefetch_panels = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %prefetch_panels, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// With panels of 16 columns and six accumulators, 16 rows are cut into four equal tiles, each of which prefetches a
// quarter of the panel's lines.
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
    %prefetch_panels = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %prefetch_panels, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// The number of terms of the contraction, 65, is not a multiple of 4, the number of steps between prefetches. Each
// tile's share of the panel has 17 lines, and the last share ends at the end of the panel.
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
    %prefetch_panels = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %prefetch_panels, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// If there is only one panel, there is no next panel, so nothing is prefetched.
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
    %prefetch_panels = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %prefetch_panels, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
// -----
// The weight has three interleaved panels side by side, and for each of the three the next panel is prefetched. The 8
// rows are one tile, which prefetches three lines at every step.
// CHECK-DAG: #[[$PLACE:.*]] = affine_map<(d0) -> (d0 * 1024)>
// CHECK-DAG: #[[$SECOND:.*]] = affine_map<(d0) -> (d0 * 1024 + 4096)>
// CHECK-DAG: #[[$WHOLE:.*]] = affine_map<(d0, d1) -> (d0 * 1024 + (d1 floordiv 8) * 4096 - ((d1 floordiv 8) floordiv 2) * 8192)>
// CHECK-DAG: #[[$HALF:.*]] = affine_map<(d0, d1) -> (d0 * 1024 + (d1 floordiv 8) * 512 - ((d1 floordiv 8) floordiv 2) * 1024 + 8192)>
// CHECK-LABEL: func.func @interleaved
// CHECK: tensor.collapse_shape %{{.*}} : tensor<3x4x64x16xf32> into tensor<12288xf32>
// CHECK: affine.apply #[[$PLACE]]
// CHECK: tensor.extract_slice %{{.*}} [64] [16] : tensor<12288xf32> to tensor<64xf32>
// CHECK: affine.apply #[[$SECOND]]
// CHECK: attrs = {heddle.prefetch = 3 : i64}
func.func @interleaved(%x: tensor<8x64xf32>, %w: tensor<3x4x64x16xf32>) -> tensor<8x192xf32> {
  %0 = heddle.linear %x, %w : (tensor<8x64xf32>, tensor<3x4x64x16xf32>) -> tensor<8x192xf32>
  return %0 : tensor<8x192xf32>
}
// Each of two tiles prefetches one of the first two panels and half of the third. No run of prefetches continues from
// one panel into the next.
// CHECK-LABEL: func.func @two_interleaved
// CHECK: affine.apply #[[$WHOLE]]
// CHECK: tensor.extract_slice %{{.*}} [64] [16] : tensor<12288xf32> to tensor<64xf32>
// CHECK: affine.apply #[[$HALF]]
// CHECK: tensor.extract_slice %{{.*}} [32] [16] : tensor<12288xf32> to tensor<32xf32>
func.func @two_interleaved(%x: tensor<16x64xf32>, %w: tensor<3x4x64x16xf32>) -> tensor<16x192xf32> {
  %0 = heddle.linear %x, %w : (tensor<16x64xf32>, tensor<3x4x64x16xf32>) -> tensor<16x192xf32>
  return %0 : tensor<16x192xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %prefetch_panels = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 8 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %prefetch_panels, %rows, %cache)
        : !transform.any_op
    transform.yield
  }
}
