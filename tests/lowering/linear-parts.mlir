// RUN: heddle-opt %s --transform-interpreter --split-input-file | FileCheck %s

// A panel (neighbouring columns of the weight) has 48 KiB, but %kib allows 20 KiB in the cache, so the contraction is
// cut into three parts of 16 KiB. The products of the first two parts are summed in memory, and the tile is finished in
// registers with the last part. While a part is used, the next part is prefetched.
// CHECK-DAG: #[[$PART:.*]] = affine_map<(d0) -> (d0 * 128)>
// CHECK-DAG: #[[$BY_PANEL:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 16, d2, d1 mod 16)>
// CHECK-DAG: #[[$PREFETCHED:.*]] = affine_map<(d0, d1) -> (d0 * 2048 + (d1 floordiv 8) * 1024 + ((d1 floordiv 8) floordiv 2) * 10240 - ((d1 floordiv 8) floordiv 4) * 24576)>
// CHECK-LABEL: func.func @parts
// CHECK: %[[ZERO:.*]] = linalg.fill {{.*}} -> tensor<32x32xf32>
// CHECK: scf.for %[[WHICH:.*]] = %{{.*}} iter_args(%{{.*}} = %[[ZERO]]) -> (tensor<32x32xf32>)
// CHECK:   scf.for
// CHECK:     affine.apply #[[$PART]](%[[WHICH]])
// CHECK:     tensor.extract_slice {{.*}} : tensor<32x384xf32> to tensor<8x128xf32>
// CHECK:     linalg.generic {{.*}} attrs = {heddle.prefetch
// CHECK: scf.for
// CHECK:   tensor.extract_slice %{{.*}}[%{{.*}}, 256] [8, 128] [1, 1]
// CHECK:   linalg.generic {{.*}} attrs = {heddle.prefetch
// CHECK:   math.erf
func.func @parts(%x: tensor<64x384xf32>, %w: tensor<2x384x32xf32>) -> tensor<64x64xf32> {
  %0 = heddle.linear %x, %w activation(gelu) : (tensor<64x384xf32>, tensor<2x384x32xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
// With fewer than 64 rows, the panel need not stay in the cache, and the contraction is not cut.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT: iter_args(%{{.*}} = %{{.*}}) -> (tensor<56x32xf32>)
// CHECK: tensor.extract_slice {{.*}} to tensor<8x384xf32>
func.func @few_rows(%x: tensor<56x384xf32>, %w: tensor<2x384x32xf32>) -> tensor<56x64xf32> {
  %0 = heddle.linear %x, %w activation(gelu) : (tensor<56x384xf32>, tensor<2x384x32xf32>) -> tensor<56x64xf32>
  return %0 : tensor<56x64xf32>
}
// The number of terms, 379, is prime, so the contraction cannot be cut into a few equal parts and is not cut.
// CHECK-LABEL: func.func @prime
// CHECK: tensor.extract_slice {{.*}} to tensor<8x379xf32>
func.func @prime(%x: tensor<64x379xf32>, %w: tensor<2x379x32xf32>) -> tensor<64x64xf32> {
  %0 = heddle.linear %x, %w activation(gelu) : (tensor<64x379xf32>, tensor<2x379x32xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
// A panel of 16 KiB fits into 20 KiB, so the contraction is not cut.
// CHECK-LABEL: func.func @small
// CHECK: tensor.extract_slice {{.*}} to tensor<8x128xf32>
func.func @small(%x: tensor<64x128xf32>, %w: tensor<2x128x32xf32>) -> tensor<64x64xf32> {
  %0 = heddle.linear %x, %w activation(gelu) : (tensor<64x128xf32>, tensor<2x128x32xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
// With two interleaved panels, a part consists of the same rows of both panels.
// CHECK-LABEL: func.func @panels
// CHECK: tensor.extract_slice %{{.*}} [2, 1, 384, 16] [1, 1, 1, 1] : tensor<2x2x384x16xf32> to tensor<2x384x16xf32>
// CHECK: scf.for
// CHECK: tensor.extract_slice %{{.*}}[0, %{{.*}}, 0] [2, 128, 16] [1, 1, 1] : tensor<2x384x16xf32> to tensor<2x128x16xf32>
// CHECK: affine.apply #[[$PREFETCHED]](
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$BY_PANEL]], {{.*}} attrs = {heddle.prefetch
func.func @panels(%x: tensor<64x384xf32>, %w: tensor<2x2x384x16xf32>) -> tensor<64x64xf32> {
  %0 = heddle.linear %x, %w activation(gelu) : (tensor<64x384xf32>, tensor<2x2x384x16xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 32 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 20 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 16 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %one, %one, %one)
        : !transform.any_op
    transform.yield
  }
}
