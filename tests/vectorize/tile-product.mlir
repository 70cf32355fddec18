// RUN: heddle-opt %s --transform-interpreter --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s
// RUN: heddle-opt %s --transform-interpreter --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=PASSED

// A vector has 16 lanes, and there are registers for 32 vectors. The columns of a product lie in two panels of 16
// columns. The unsigned weight is the left operand of heddle.dot. With `every [2]`, two successive steps of the loop
// prefetch the same line.
// CHECK-LABEL: func.func @panels
// CHECK: scf.for %[[STEP:[a-z0-9]+]] =
// CHECK: %[[ROW:.*]] = vector.bitcast {{.*}} : vector<16xi32> to vector<64xi8>
// CHECK: %[[FIRST:.*]] = vector.transfer_read %{{.*}}[%c0, %[[STEP]], %c0]{{.*}} vector<64xi8>
// CHECK: %[[LINE:.*]] = affine.apply #{{.*}}(%[[STEP]])
// CHECK: memref.prefetch %{{.*}}[%[[LINE]]], read, locality<1>, data
// CHECK: heddle.dot %[[FIRST]], %[[ROW]], %{{.*}} unsigned
// CHECK: %[[SECOND:.*]] = vector.transfer_read %{{.*}}[%c1, %[[STEP]], %c0]{{.*}} vector<64xi8>
// CHECK: heddle.dot %[[SECOND]], %[[ROW]], %{{.*}} unsigned
func.func @panels(%x: tensor<4x9x4xi8>, %w: tensor<2x9x64xi8>, %out: tensor<4x32xi32>, %next: tensor<5xi8>) -> tensor<4x32xi32> {
  %0 = heddle.tile_product %x, %w into %out kind(#heddle.dot_bytes<unsigned = weight>)
    prefetch(%next : tensor<5xi8>) every [2] locality 1 : tensor<4x9x4xi8>, tensor<2x9x64xi8>, tensor<4x32xi32>
  return %0 : tensor<4x32xi32>
}

// A result that fits into registers is passed to the next operation in registers: it is not read after the loop, not
// even before canonicalization.
// PASSED-LABEL: func.func @passed
// PASSED: heddle.dot {{.*}} : vector<32xbf16>, vector<16xf32>
// PASSED: scf.yield
// PASSED-NOT: vector.transfer_read
// PASSED: arith.negf {{.*}} : vector<16xf32>
func.func @passed(%x: tensor<1x16x2xbf16>, %w: tensor<16x32xbf16>, %out: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %0 = heddle.tile_product %x, %w into %out kind(#heddle.dot_bf16) : tensor<1x16x2xbf16>, tensor<16x32xbf16>, tensor<1x16xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<1x16xf32>) outs(%out : tensor<1x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %2 = arith.negf %a : f32
    linalg.yield %2 : f32
  } -> tensor<1x16xf32>
  return %1 : tensor<1x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    %count = transform.param.constant 32 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 512 : i64 -> !transform.param<i64>
    transform.heddle.vectorize %f lanes(%n) registers(%count x %bits) : !transform.any_op
    transform.yield
  }
}

// -----
// A vector must not contain columns of two panels.
func.func @narrow_panels(%x: tensor<4x9x4xi8>, %w: tensor<4x9x32xi8>, %out: tensor<4x32xi32>) -> tensor<4x32xi32> {
  // expected-error@+1 {{expects panels whose number of columns is a multiple of 16, found 8}}
  %0 = heddle.tile_product %x, %w into %out kind(#heddle.dot_bytes) : tensor<4x9x4xi8>, tensor<4x9x32xi8>, tensor<4x32xi32>
  return %0 : tensor<4x32xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    %count = transform.param.constant 32 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 512 : i64 -> !transform.param<i64>
    // expected-error@+1 {{cannot vectorise a tile}}
    transform.heddle.vectorize %f lanes(%n) registers(%count x %bits) : !transform.any_op
    transform.yield
  }
}

// -----
func.func @blocks(%x: tensor<4x9x4xi8>, %w: tensor<9x64xi8>, %out: tensor<4x16xi32>) -> tensor<4x16xi32> {
  // expected-error@+1 {{can be vectorised only in register tiles, not in blocks}}
  %0 = heddle.tile_product %x, %w into %out kind(#heddle.dot_bytes) : tensor<4x9x4xi8>, tensor<9x64xi8>, tensor<4x16xi32>
  return %0 : tensor<4x16xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    %count = transform.param.constant 32 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 512 : i64 -> !transform.param<i64>
    // expected-error@+1 {{cannot vectorise a tile}}
    transform.heddle.vectorize %f lanes(%n) blocks registers(%count x %bits) : !transform.any_op
    transform.yield
  }
}
