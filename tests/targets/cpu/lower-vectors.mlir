// RUN: heddle-opt %s --heddle-lower-vectors | FileCheck %s

// Transfers of two-dimensional vectors become loads and stores of rows.
// CHECK-LABEL: func.func @transfers(
// CHECK-COUNT-2: vector.load {{.*}} vector<16xf32>
// CHECK-COUNT-2: vector.store {{.*}} vector<16xf32>
func.func @transfers(%x: memref<2x16xf32>, %y: memref<2x16xf32>) {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %f0 {in_bounds = [true, true]} : memref<2x16xf32>, vector<2x16xf32>
  vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<2x16xf32>, memref<2x16xf32>
  return
}

// A contraction becomes products of rows with broadcast scalars.
// CHECK-LABEL: func.func @contraction(
// CHECK-NOT: vector.contract
// CHECK-COUNT-4: vector.fma {{.*}} : vector<16xf32>
func.func @contraction(%a: vector<2x2xf32>, %b: vector<2x16xf32>, %c: vector<2x16xf32>) -> vector<2x16xf32> {
  %0 = vector.contract {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
  } %a, %b, %c : vector<2x2xf32>, vector<2x16xf32> into vector<2x16xf32>
  return %0 : vector<2x16xf32>
}

// A transposition becomes shuffles of rows.
// CHECK-LABEL: func.func @transposition(
// CHECK-NOT: vector.transpose
// CHECK: vector.shuffle
func.func @transposition(%a: vector<16x16xf32>) -> vector<16x16xf32> {
  %0 = vector.transpose %a, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
  return %0 : vector<16x16xf32>
}

// Streaming stores bypass the caches. Their addresses are multiples of the vector size.
// CHECK-LABEL: func.func @streaming(
// CHECK: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
func.func @streaming(%x: vector<16xf32>, %y: memref<32xf32>) {
  %c16 = arith.constant 16 : index
  vector.transfer_write %x, %y[%c16] {heddle.nontemporal, in_bounds = [true]} : vector<16xf32>, memref<32xf32>
  return
}
