// RUN: heddle-opt %s --transform-interpreter | FileCheck %s

// The number of rows of this linear layer is known only at run time. A tile has at most 8 rows, the heights of two
// tiles differ by at most one row, and taller tiles come first. There is one loop for each height and each number of
// tiles that share the prefetch of the next panel (neighbouring columns of the weight). From 17 rows on, three tiles
// share the prefetch, and no tile has 4 rows. From 9 rows on, two tiles share it. A single tile of 8 rows prefetches
// the whole panel. For 7 rows or fewer, nothing is prefetched, because %prefetch_rows is 8.
// CHECK-LABEL: func.func @rows
// CHECK: arith.ceildivui %{{.*}}, %c8
// CHECK: scf.for
// CHECK: tensor<?x64xf32> to tensor<8x64xf32>
// CHECK: linalg.generic {{.*}}heddle.prefetch = 2
// CHECK: scf.for
// CHECK: tensor<?x64xf32> to tensor<7x64xf32>
// CHECK: linalg.generic {{.*}}heddle.prefetch = 2
// CHECK: scf.for
// CHECK: tensor<?x64xf32> to tensor<6x64xf32>
// CHECK: linalg.generic {{.*}}heddle.prefetch = 2
// CHECK: scf.for
// CHECK: tensor<?x64xf32> to tensor<5x64xf32>
// CHECK: linalg.generic {{.*}}heddle.prefetch = 2
// CHECK: scf.for
// CHECK: tensor<?x64xf32> to tensor<8x64xf32>
// CHECK: linalg.generic {{.*}}heddle.prefetch = 2
// CHECK: scf.for
// CHECK: tensor<?x64xf32> to tensor<7x64xf32>
// CHECK: linalg.generic {{.*}}heddle.prefetch = 2
// CHECK: scf.for
// CHECK: tensor<?x64xf32> to tensor<6x64xf32>
// CHECK: linalg.generic {{.*}}heddle.prefetch = 2
// CHECK: scf.for
// CHECK: tensor<?x64xf32> to tensor<5x64xf32>
// CHECK: linalg.generic {{.*}}heddle.prefetch = 2
// CHECK: scf.for
// CHECK: tensor<?x64xf32> to tensor<4x64xf32>
// CHECK: linalg.generic {{.*}}heddle.prefetch = 2
// CHECK: scf.for
// CHECK: tensor<?x64xf32> to tensor<8x64xf32>
// CHECK: linalg.generic {{.*}}heddle.prefetch = 2
// CHECK-NOT: heddle.prefetch
// CHECK: linalg.matmul ins(%{{.*}} : tensor<7x64xf32>
// CHECK: linalg.matmul ins(%{{.*}} : tensor<6x64xf32>
// CHECK: linalg.matmul ins(%{{.*}} : tensor<5x64xf32>
// CHECK: linalg.matmul ins(%{{.*}} : tensor<4x64xf32>
// CHECK: linalg.matmul ins(%{{.*}} : tensor<3x64xf32>
// CHECK: linalg.matmul ins(%{{.*}} : tensor<2x64xf32>
// CHECK: linalg.matmul ins(%{{.*}} : tensor<1x64xf32>
// CHECK-NOT: linalg.matmul
module attributes {transform.with_named_sequence, heddle.sizes = [{name = "rows", low = 1, high = 512, placeholder = 4001}]} {
  func.func @rows(%x: tensor<4001x64xf32>, %w: tensor<4x64x48xf32>) -> tensor<4001x192xf32> {
    %0 = heddle.linear %x, %w : (tensor<4001x64xf32>, tensor<4x64x48xf32>) -> tensor<4001x192xf32>
    return %0 : tensor<4001x192xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %panel = transform.param.constant 48 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 24 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %prefetch_panels = transform.param.constant 1 : i64 -> !transform.param<i64>
    %prefetch_rows = transform.param.constant 8 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 2 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers)
        weight(%kib, %prefetch_panels, %prefetch_rows, %cache) : !transform.any_op
    transform.yield
  }
}
