// RUN: heddle-opt %s --transform-interpreter --canonicalize --cse --split-input-file | FileCheck %s

// transform.heddle.vectorize without `blocks` vectorizes the operations of a function together, so that a tile stays in
// registers. `lanes` is the number of elements of a vector, and `registers` are the number and the width of registers.

// The function @registers multiplies a matrix of 2 x 300 by a matrix of 300 x 20. The tile stays in registers from the
// fill to the bias, and only the last operation writes memory. A row has 20 columns, so the second vector has only 8
// lanes.
// CHECK-LABEL: func.func @registers
// Four accumulators are too few to hide the latency of an operation, so two terms of the sum are computed at a time.
// CHECK: scf.for {{.*}} step %c2
// CHECK-COUNT-8: vector.fma
// CHECK: scf.yield
// CHECK-NOT: transfer_read {{.*}} : tensor<2x20xf32>
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: vector.transfer_write
// CHECK: arith.addf {{.*}} : vector<8xf32>
func.func @registers(%a: tensor<2x300xf32>, %b: tensor<300x20xf32>, %bias: tensor<20xf32>, %out: tensor<2x20xf32>) -> tensor<2x20xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x20xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x20xf32>) -> tensor<2x20xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<2x300xf32>, tensor<300x20xf32>) outs(%0 : tensor<2x20xf32>) -> tensor<2x20xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%1, %bias : tensor<2x20xf32>, tensor<20xf32>) outs(%out : tensor<2x20xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %3 = arith.addf %x, %y : f32
    linalg.yield %3 : f32
  } -> tensor<2x20xf32>
  return %2 : tensor<2x20xf32>
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
// In a sum along rows, each lane computes a partial sum, and several vectors for each row hide the latency of
// additions.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for {{.*}} step %c64 {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-2: vector.reduction <add>
// CHECK: return
func.func @rows(%x: tensor<2x384xf32>, %out: tensor<2xf32>) -> tensor<2xf32> {
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<2x384xf32>) outs(%out : tensor<2xf32>) dimensions = [1]
  return %0 : tensor<2xf32>
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
// A transposition uses squares of 16 x 16, each with four rounds of 16 shuffles.
// CHECK-LABEL: func.func @transposed
// CHECK-COUNT-16: vector.transfer_read
// CHECK-COUNT-64: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK: vector.transfer_write
func.func @transposed(%x: tensor<32x64xf32>, %out: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %0 = linalg.transpose ins(%x : tensor<32x64xf32>) outs(%out : tensor<64x32xf32>) permutation = [1, 0]
  return %0 : tensor<64x32xf32>
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
// With heddle.prefetch = 2, an input that the body of the operation does not use (%lines) is prefetched into the
// second-level cache, one cache line in each iteration of the reduction.
// CHECK-LABEL: func.func @prefetched
// CHECK: scf.for
// CHECK: %[[LINES:.*]] = bufferization.to_buffer %arg2 read_only
// CHECK: memref.prefetch %[[LINES]][%{{.*}}], read, locality<2>, data
// CHECK: vector.fma
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#lines = affine_map<(m, n, k) -> (k)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @prefetched(%a: tensor<8x300xf32>, %b: tensor<300x16xf32>, %lines: tensor<300xf32>, %out: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #lines, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b, %lines : tensor<8x300xf32>, tensor<300x16xf32>, tensor<300xf32>) outs(%out : tensor<8x16xf32>) attrs = {heddle.prefetch = 2} {
  ^bb0(%x: f32, %y: f32, %line: f32, %o: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
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
// A single row is multiplied by a matrix, and 16 registers of 256 bits hold 8 vectors of 16 elements. Only four partial
// sums are kept, because eight would leave no register for the operands.
// CHECK-LABEL: func.func @few_registers
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: vector.fma
// CHECK-NOT: vector.fma
func.func @few_registers(%a: tensor<1x300xf32>, %b: tensor<300x16xf32>, %out: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<1x300xf32>, tensor<300x16xf32>) outs(%out : tensor<1x16xf32>) -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    %count = transform.param.constant 16 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 256 : i64 -> !transform.param<i64>
    transform.heddle.vectorize %f lanes(%n) registers(%count x %bits) : !transform.any_op
    transform.yield
  }
}
// -----
// An elementwise operation that updates a tensor in memory has no narrower vector at the end of a row: the last vector
// is masked.
// CHECK-LABEL: func.func @elementwise
// CHECK-NOT: vector<8xf32>
// CHECK: return
func.func @elementwise(%x: tensor<2x20xf32>) -> tensor<2x20xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      outs(%x : tensor<2x20xf32>) {
  ^bb0(%o: f32):
    %1 = arith.addf %o, %o : f32
    linalg.yield %1 : f32
  } -> tensor<2x20xf32>
  return %0 : tensor<2x20xf32>
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
// A product of bytes becomes heddle.dot: four bytes of a row, which are the same in all lanes, are multiplied by four
// bytes of each column and added up. The result has 24 columns, so the second vector has 8 lanes.
// CHECK-LABEL: func.func @dots
// As in @registers, two terms are computed at a time.
// CHECK: scf.for %[[K:[a-z0-9]+]] = %c0 to %c8 step %c2 {{.*}} -> (vector<16xi32>, vector<8xi32>, vector<16xi32>, vector<8xi32>,
// CHECK: %[[FEW:.*]] = vector.transfer_read %{{.*}}[%c0, %[[K]], %c0]{{.*}} vector<4xi8>
// CHECK: %[[ONE:.*]] = vector.bitcast %[[FEW]] : vector<4xi8> to vector<1xi32>
// CHECK: vector.broadcast {{.*}} : i32 to vector<16xi32>
// CHECK: %[[W:.*]] = vector.transfer_read %{{.*}}[%[[K]], %c0]{{.*}} vector<64xi8>
// CHECK: heddle.dot %{{.*}}, %[[W]], %{{.*}} unsigned : vector<64xi8>, vector<16xi32>
// CHECK: heddle.dot {{.*}} : vector<32xi8>, vector<8xi32>
// CHECK-NOT: linalg.
func.func @dots(%x: tensor<2x9x4xi8>, %w: tensor<9x96xi8>, %out: tensor<2x24xi32>) -> tensor<2x24xi32> {
  %0 = heddle.tile_product %x, %w into %out kind(#heddle.dot_bytes<unsigned = rows>)
    : tensor<2x9x4xi8>, tensor<9x96xi8>, tensor<2x24xi32>
  return %0 : tensor<2x24xi32>
}

// A slice of a tile is read from registers, here row 1 and columns 16 to 31.
// CHECK-LABEL: func.func @part
// CHECK: vector.fma
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : vector<16xf32>
// CHECK-NEXT: arith.negf %[[SUM]] : vector<16xf32>
func.func @part(%a: tensor<2x3xf32>, %b: tensor<3x32xf32>, %out: tensor<2x32xf32>, %target: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %tile = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x32xf32>) outs(%out : tensor<2x32xf32>) -> tensor<2x32xf32>
  %part = tensor.extract_slice %tile[1, 16] [1, 16] [1, 1] : tensor<2x32xf32> to tensor<1x16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%part : tensor<1x16xf32>) outs(%target : tensor<1x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.negf %x : f32
    linalg.yield %1 : f32
  } -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
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
