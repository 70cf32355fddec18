// RUN: heddle-opt %s --heddle-tile=%{avx512} | FileCheck %s
// RUN: heddle-opt %s --heddle-tile=%{avx512} --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE

// An arith.select sets the inactive rows of the attention's result to zero. Therefore only blocks that contain an
// active query are computed. Keys are read from the first to the last key that the mask keeps.

// INPLACE-NOT: memref.copy

#row = affine_map<(b, s, h, d) -> (b, s)>
#all = affine_map<(b, s, h, d) -> (b, s, h, d)>

// CHECK-LABEL: @attention
// A loop finds the range of keys of each batch entry.
// CHECK: %[[ENDS:.*]]:2 = scf.for
// CHECK: scf.for
// CHECK: arith.minsi
// CHECK: tensor.insert
// CHECK: scf.forall (%[[B:.*]], %{{.*}}, %{{.*}}) in (2, 2, 4)
// CHECK: arith.ori
// CHECK: scf.if
// CHECK: tensor.extract %[[ENDS]]#0[%[[B]]]
// CHECK: else
// CHECK: linalg.fill
func.func private @attention(%q: tensor<2x256x2x16xf32>, %m: tensor<2x1x1x256xi8>, %rows: tensor<2x256xi8>,
    %out: tensor<2x256x2x16xf32> {bufferization.writable = true}) -> tensor<2x256x2x16xf32> attributes {heddle.kernel} {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i8
  %dense = arith.constant dense<0> : tensor<2x1x1x256xi8>
  %mask = arith.cmpi ne, %m, %dense : tensor<2x1x1x256xi8>
  %a = heddle.attention %q, %q, %q mask(%mask) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<2x256x2x16xf32>, tensor<2x256x2x16xf32>, tensor<2x256x2x16xf32>, tensor<2x1x1x256xi1>) -> tensor<2x256x2x16xf32>
  %e = tensor.empty() : tensor<2x256x2x16xf32>
  %r = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%rows, %a : tensor<2x256xi8>, tensor<2x256x2x16xf32>) outs(%e : tensor<2x256x2x16xf32>) {
  ^bb0(%in: i8, %value: f32, %o: f32):
    %active = arith.cmpi ne, %in, %none : i8
    %kept = arith.select %active, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<2x256x2x16xf32>
  return %r : tensor<2x256x2x16xf32>
}
