// RUN: heddle-opt %s --split-input-file --heddle-tile=%{avx512} | FileCheck %s
// RUN: heddle-opt %s --split-input-file --heddle-tile=%{avx512} --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE

// After each layer, a select sets the inactive rows of the result to zero. A mask determines which rows are inactive. A
// tile of rows is computed only if at least one of its rows is active; other tiles are filled with zeros. In a computed
// tile, operations after the layer (its epilogue) set the inactive rows to zero.

// INPLACE-NOT: memref.copy

#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

// CHECK-LABEL: @linear
// CHECK: scf.forall
// CHECK: tensor.extract %{{.*}} : tensor<32xi8>
// CHECK: %[[ANY:.*]] = arith.cmpi ne
// CHECK: scf.if %[[ANY]]
// CHECK: linalg.matmul
// CHECK: arith.addf
// CHECK: arith.select
// CHECK: scf.yield
// CHECK: else
// CHECK: linalg.fill
func.func private @linear(%x: tensor<2x16x8xf32>, %w: tensor<8x16xf32>, %bias: tensor<16xf32>, %m: tensor<2x16xi8>,
    %out: tensor<2x16x16xf32> {bufferization.writable = true}) -> tensor<2x16x16xf32> attributes {heddle.kernel} {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i8
  %l = heddle.linear %x, %w bias(%bias) : (tensor<2x16x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<2x16x16xf32>
  %e = tensor.empty() : tensor<2x16x16xf32>
  %r = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %l : tensor<2x16xi8>, tensor<2x16x16xf32>) outs(%e : tensor<2x16x16xf32>) {
  ^bb0(%in: i8, %value: f32, %o: f32):
    %active = arith.cmpi ne, %in, %none : i8
    %kept = arith.select %active, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<2x16x16xf32>
  return %r : tensor<2x16x16xf32>
}

// -----

// Both linear layers of an FFN skip inactive rows.

#row = affine_map<(s, h) -> (s)>
#all = affine_map<(s, h) -> (s, h)>

// CHECK-LABEL: @ffn
// CHECK-COUNT-2: scf.if
func.func private @ffn(%x: tensor<16x8xf32>, %up: tensor<8x32xf32>, %down: tensor<32x8xf32>, %m: tensor<16xi8>,
    %out: tensor<16x8xf32> {bufferization.writable = true}) -> tensor<16x8xf32> attributes {heddle.kernel} {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i8
  %f = heddle.ffn %x, %up, %down residual(%x) : (tensor<16x8xf32>, tensor<8x32xf32>, tensor<32x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  %e = tensor.empty() : tensor<16x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel"]}
    ins(%m, %f : tensor<16xi8>, tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%in: i8, %value: f32, %o: f32):
    %active = arith.cmpi ne, %in, %none : i8
    %kept = arith.select %active, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

#row = affine_map<(b, s, h) -> (b, s)>
#all = affine_map<(b, s, h) -> (b, s, h)>

// CHECK-LABEL: @norm
// CHECK: scf.if
// CHECK: math.sqrt
// CHECK: arith.select
// CHECK: else
// CHECK: linalg.fill
func.func private @norm(%x: tensor<2x8x32xf32>, %m: tensor<2x8xi8>,
    %out: tensor<2x8x32xf32> {bufferization.writable = true}) -> tensor<2x8x32xf32> attributes {heddle.kernel} {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i8
  %n = heddle.layer_norm %x : (tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  %e = tensor.empty() : tensor<2x8x32xf32>
  %r = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%m, %n : tensor<2x8xi8>, tensor<2x8x32xf32>) outs(%e : tensor<2x8x32xf32>) {
  ^bb0(%in: i8, %value: f32, %o: f32):
    %active = arith.cmpi ne, %in, %none : i8
    %kept = arith.select %active, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<2x8x32xf32>
  return %r : tensor<2x8x32xf32>
}

// -----

// A mask over columns, which are not leading dimensions, selects no rows: the operation that applies the mask stays
// elementwise.

#column = affine_map<(s, h) -> (h)>
#all = affine_map<(s, h) -> (s, h)>

// CHECK-LABEL: @columns
// CHECK-NOT: scf.if
func.func private @columns(%x: tensor<16x16xf32>, %m: tensor<16xi8>,
    %out: tensor<16x16xf32> {bufferization.writable = true}) -> tensor<16x16xf32> attributes {heddle.kernel} {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i8
  %n = heddle.layer_norm %x : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %e = tensor.empty() : tensor<16x16xf32>
  %r = linalg.generic {indexing_maps = [#column, #all, #all], iterator_types = ["parallel", "parallel"]}
    ins(%m, %n : tensor<16xi8>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%in: i8, %value: f32, %o: f32):
    %active = arith.cmpi ne, %in, %none : i8
    %kept = arith.select %active, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
