// RUN: heddle-opt %s --heddle-fold-dequantize --canonicalize --cse | FileCheck %s

// Operations that read elements of a dequantized tensor read stored elements and their scales instead, and multiply
// them after loading. Here each row has one scale.
// CHECK-LABEL: @row
// CHECK-SAME: %[[Q:.*]]: tensor<100x32xi8>, %[[S:.*]]: tensor<100x1xf32>, %[[I:.*]]: index, %[[J:.*]]: index
func.func @row(%q: tensor<100x32xi8>, %s: tensor<100x1xf32>, %i: index, %j: index) -> (vector<16xf32>, f32) {
  %0 = arith.constant 0.0 : f32
  %w = heddle.dequantize %q scales(%s : tensor<100x1xf32>) block [1, 32] : tensor<100x32xi8> -> tensor<100x32xf32>
  // CHECK-DAG: %[[B:.*]] = vector.transfer_read %[[Q]][%[[I]], %[[J]]]{{.*}} vector<16xi8>
  // CHECK-DAG: %[[N:.*]] = arith.sitofp
  // CHECK-DAG: %[[F:.*]] = vector.transfer_read %[[S]][%[[I]], %c0]{{.*}}permutation_map{{.*}} vector<16xf32>
  // CHECK: arith.mulf
  %v = vector.transfer_read %w[%i, %j], %0 {in_bounds = [true]} : tensor<100x32xf32>, vector<16xf32>
  // CHECK: %[[E:.*]] = tensor.extract %[[Q]][%[[I]], %[[J]]]
  // CHECK: arith.extsi %[[E]] : i8 to i32
  // CHECK: tensor.extract %[[S]][%[[I]], %c0]
  %e = tensor.extract %w[%i, %j] : tensor<100x32xf32>
  return %v, %e : vector<16xf32>, f32
}

// A block with a common scale, zero point and minimum has 32 rows of one column. So a vector along a row needs a vector
// of scales. The lanes of the vector may be masked.
// CHECK-LABEL: @blocks
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<96x48xi8>, %[[S:[a-z0-9]+]]: tensor<3x48xf32>, %[[Z:[a-z0-9]+]]: tensor<3x48xi8>, %[[L:[a-z0-9]+]]: tensor<3x48xf32>, %[[I:[a-z0-9]+]]: index
func.func @blocks(%q: tensor<96x48xi8>, %s: tensor<3x48xf32>, %z: tensor<3x48xi8>, %m: tensor<3x48xf32>, %i: index, %k: vector<16xi1>) -> vector<16xf32> {
  %0 = arith.constant 0.0 : f32
  %c32 = arith.constant 32 : index
  %w = heddle.dequantize %q scales(%s : tensor<3x48xf32>) zero_points(%z : tensor<3x48xi8>) minima(%m : tensor<3x48xf32>) block [32, 1]
    : tensor<96x48xi8> -> tensor<96x48xf32>
  // CHECK: %[[BLOCK:.*]] = affine.apply {{.*}}%[[I]]
  // CHECK-DAG: vector.transfer_read %[[Q]][%[[I]], %c32], {{.*}}, %{{.*}} {in_bounds = [true]} : tensor<96x48xi8>
  // CHECK-DAG: vector.transfer_read %[[Z]][%[[BLOCK]], %c32]
  // CHECK-DAG: arith.subi
  // CHECK-DAG: vector.transfer_read %[[S]][%[[BLOCK]], %c32]
  // CHECK-DAG: vector.transfer_read %[[L]][%[[BLOCK]], %c32]
  // CHECK: arith.addf
  // CHECK: arith.select
  %v = vector.transfer_read %w[%i, %c32], %0, %k {in_bounds = [true]} : tensor<96x48xf32>, vector<16xf32>
  return %v : vector<16xf32>
}

// A block has 32 columns of one row, and the lanes of a vector run along the row. If all lanes are known to be in one
// block (the loop advances by 16), one scale is read. Otherwise the scales of the first block and of the next block are
// read, and a select chooses between them.
// CHECK-LABEL: @along
func.func @along(%q: tensor<8x96xi8>, %s: tensor<8x3xf32>, %i: index, %to: index) -> (vector<16xf32>, vector<16xf32>) {
  %0 = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %w = heddle.dequantize %q scales(%s : tensor<8x3xf32>) block [1, 32] : tensor<8x96xi8> -> tensor<8x96xf32>
  %start = arith.constant dense<0.0> : vector<16xf32>
  // CHECK: scf.for
  // CHECK-NOT: arith.select
  // CHECK: vector.transfer_read %{{.*}} : tensor<8x3xf32>, vector<16xf32>
  // CHECK-NOT: arith.select
  // CHECK: scf.yield
  %inside = scf.for %j = %c0 to %to step %c16 iter_args(%sum = %start) -> vector<16xf32> {
    %v = vector.transfer_read %w[%i, %j], %0 {in_bounds = [true]} : tensor<8x96xf32>, vector<16xf32>
    %next = arith.addf %sum, %v : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  // CHECK: vector.step
  // CHECK: arith.minsi
  // CHECK: arith.select
  %across = vector.transfer_read %w[%i, %to], %0 {in_bounds = [true]} : tensor<8x96xf32>, vector<16xf32>
  return %inside, %across : vector<16xf32>, vector<16xf32>
}

// Outlier rows are not quantized. They are read from a tensor of their own.
// CHECK-LABEL: @outliers
// CHECK-SAME: %[[E:[a-z0-9]+]]: tensor<2x48xf32>
func.func @outliers(%e: tensor<2x48xf32>, %q: tensor<96x48xi8>, %s: tensor<1x48xf32>, %i: index) -> vector<16xf32> {
  %0 = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %w = heddle.dequantize %q scales(%s : tensor<1x48xf32>) outliers(%e : tensor<2x48xf32>) outlier_rows [3, 90] block [96, 1]
    : tensor<96x48xi8> -> tensor<96x48xf32>
  // CHECK-DAG: arith.cmpi eq, %{{.*}}, %c3
  // CHECK-DAG: arith.cmpi eq, %{{.*}}, %c90
  // CHECK: vector.transfer_read %[[E]]
  // CHECK: arith.select
  %v = vector.transfer_read %w[%i, %c0], %0 {in_bounds = [true]} : tensor<96x48xf32>, vector<16xf32>
  return %v : vector<16xf32>
}

// The indices of outlier rows may be an operand instead of an attribute. Then they are read at run time.
// CHECK-LABEL: @numbers
// CHECK-SAME: %[[E:[a-z0-9]+]]: tensor<2x48xf32>, %[[N:[a-z0-9]+]]: tensor<2xi32>
func.func @numbers(%e: tensor<2x48xf32>, %n: tensor<2xi32>, %q: tensor<96x48xi8>, %s: tensor<1x48xf32>, %i: index) -> vector<16xf32> {
  %0 = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %w = heddle.dequantize %q scales(%s : tensor<1x48xf32>) outliers(%e : tensor<2x48xf32>) outlier_indices(%n : tensor<2xi32>)
    block [96, 1] : tensor<96x48xi8> -> tensor<96x48xf32>
  // CHECK: %[[FIRST:.*]] = tensor.extract %[[N]][%c0]
  // CHECK: %[[ROW:.*]] = arith.index_cast %[[FIRST]]
  // CHECK: arith.cmpi eq, %{{.*}}, %[[ROW]]
  // CHECK: tensor.extract %[[N]][%c1]
  // CHECK: vector.transfer_read %[[E]]
  // CHECK: arith.select
  %v = vector.transfer_read %w[%i, %c0], %0 {in_bounds = [true]} : tensor<96x48xf32>, vector<16xf32>
  return %v : vector<16xf32>
}

// A slice of a dequantized tensor becomes slices of the stored tensors if it consists of whole blocks, for example in a
// loop that advances by whole blocks. A slice that may contain a part of a block is computed in memory.
// CHECK-LABEL: @views
func.func @views(%q: tensor<96x48xi8>, %s: tensor<3x48xf32>, %i: index) -> (tensor<32x16xf32>, tensor<32x16xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %w = heddle.dequantize %q scales(%s : tensor<3x48xf32>) block [32, 1] : tensor<96x48xi8> -> tensor<96x48xf32>
  %empty = tensor.empty() : tensor<32x16xf32>
  // CHECK: scf.for
  // CHECK: tensor.extract_slice %{{.*}} [32, 16] [1, 1] : tensor<96x48xi8> to tensor<32x16xi8>
  // CHECK: tensor.extract_slice %{{.*}} [1, 16] [1, 1] : tensor<3x48xf32> to tensor<1x16xf32>
  %inside = scf.for %k = %c0 to %c96 step %c32 iter_args(%to = %empty) -> tensor<32x16xf32> {
    %slice = tensor.extract_slice %w[%k, 16] [32, 16] [1, 1] : tensor<96x48xf32> to tensor<32x16xf32>
    %copy = linalg.copy ins(%slice : tensor<32x16xf32>) outs(%to : tensor<32x16xf32>) -> tensor<32x16xf32>
    scf.yield %copy : tensor<32x16xf32>
  }
  // CHECK: scf.yield
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<32x16xf32>)
  // CHECK: tensor.extract %{{.*}} : tensor<96x48xi8>
  // CHECK: tensor.extract %{{.*}} : tensor<3x48xf32>
  %across = tensor.extract_slice %w[%i, 0] [32, 16] [1, 1] : tensor<96x48xf32> to tensor<32x16xf32>
  return %inside, %across : tensor<32x16xf32>, tensor<32x16xf32>
}

// A prefetch of the dequantized tensor becomes a prefetch of the stored tensor.
// CHECK-LABEL: @prefetched
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<100x32xi8>, %[[S:[a-z0-9]+]]: tensor<100x1xf32>, %[[I:[a-z0-9]+]]: index
func.func @prefetched(%q: tensor<100x32xi8>, %s: tensor<100x1xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %w = heddle.dequantize %q scales(%s : tensor<100x1xf32>) block [1, 32] : tensor<100x32xi8> -> tensor<100x32xf32>
  // CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[Q]][1, 0] [%[[I]], 32]
  %rows = tensor.extract_slice %w[1, 0] [%i, 32] [1, 1] : tensor<100x32xf32> to tensor<?x32xf32>
  // CHECK: %[[MEMORY:.*]] = bufferization.to_buffer %[[ROWS]] read_only : tensor<?x32xi8> to memref<?x32xi8, strided<[?, ?], offset: ?>>
  %memory = bufferization.to_buffer %rows read_only : tensor<?x32xf32> to memref<?x32xf32, strided<[?, ?], offset: ?>>
  // CHECK: memref.prefetch %[[MEMORY]][%[[I]], %c0], read, locality<3>, data : memref<?x32xi8,
  memref.prefetch %memory[%i, %c0], read, locality<3>, data : memref<?x32xf32, strided<[?, ?], offset: ?>>
  return
}
