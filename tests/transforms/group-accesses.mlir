// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(heddle-group-accesses))' | FileCheck %s
// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(heddle-group-accesses),one-shot-bufferize{bufferize-function-boundaries},canonicalize)' | FileCheck %s --check-prefix=MEMORY
// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries},canonicalize)' | FileCheck %s --check-prefix=MEMORY

// The pass groups consecutive accesses to tensors into one operation, heddle.accesses, so that bufferization has fewer
// accesses to compare. The code after bufferization must not change: the prefix MEMORY checks it with and without the
// pass. Here a loop that only reads, another read and two writes become one operation. The vector that is used later is
// a result of this operation.
// CHECK-LABEL: func.func @tile(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<2x8xf32>
// CHECK: %[[R:.*]]:2 = heddle.accesses ins(%[[X]] : tensor<4x8xf32>) outs(%[[Y]] : tensor<2x8xf32>) -> tensor<2x8xf32>, vector<8xf32> {
// CHECK-NEXT: ^bb0(%[[FROM:.*]]: memref<4x8xf32, {{.*}}>, %[[TO:.*]]: memref<2x8xf32, {{.*}}>):
// CHECK-NEXT: %[[SUM:.*]] = scf.for
// CHECK-NEXT: vector.transfer_read %[[FROM]]
// CHECK: vector.transfer_write %[[SUM]], %[[TO]][%{{.*}}, %{{.*}}] {{.*}} memref
// CHECK-NEXT: %[[ONE:.*]] = memref.load %[[FROM]]
// CHECK: vector.transfer_write %{{.*}}, %[[TO]]
// CHECK-NEXT: heddle.yield %[[SUM]] : vector<8xf32>
// CHECK-NEXT: } {first = array<i64: 1>, last = array<i64: 2, 4>, overwritten = array<i1: false>}
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1
// MEMORY-LABEL: func.func @tile(
// MEMORY-NOT: alloc
// MEMORY: scf.for
// MEMORY: vector.transfer_write
// MEMORY-NEXT: memref.load
// MEMORY-NEXT: vector.broadcast
// MEMORY-NEXT: vector.transfer_write
// MEMORY-NEXT: return
func.func @tile(%x: tensor<4x8xf32>, %y: tensor<2x8xf32> {bufferization.writable = true}) -> (tensor<2x8xf32>, vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %f = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> vector<8xf32> {
    %v = vector.transfer_read %x[%i, %c0], %f {in_bounds = [true]} : tensor<4x8xf32>, vector<8xf32>
    %a = arith.addf %s, %v : vector<8xf32>
    scf.yield %a : vector<8xf32>
  }
  %y0 = vector.transfer_write %sum, %y[%c1, %c0] {in_bounds = [true]} : vector<8xf32>, tensor<2x8xf32>
  %e = tensor.extract %x[%c1, %c1] : tensor<4x8xf32>
  %b = vector.broadcast %e : f32 to vector<8xf32>
  %y1 = vector.transfer_write %b, %y0[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, tensor<2x8xf32>
  return %y1, %sum : tensor<2x8xf32>, vector<8xf32>
}

// -----

// %x is overwritten, and its old elements are read afterwards. The group ends before this read, and bufferization
// copies %x.
// CHECK-LABEL: func.func @old_state(
// CHECK-SAME: %[[X:.*]]: tensor<2x8xf32>
// CHECK: heddle.accesses outs(%[[X]]
// CHECK: overwritten
// CHECK-NEXT: vector.transfer_read %[[X]]
// MEMORY-LABEL: func.func @old_state(
// MEMORY: memref.alloc
// MEMORY: memref.copy
func.func @old_state(%x: tensor<2x8xf32> {bufferization.writable = true}) -> (tensor<2x8xf32>, vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %f {in_bounds = [true]} : tensor<2x8xf32>, vector<8xf32>
  %x0 = vector.transfer_write %v, %x[%c1, %c0] {in_bounds = [true]} : vector<8xf32>, tensor<2x8xf32>
  %w = vector.transfer_read %x[%c1, %c0], %f {in_bounds = [true]} : tensor<2x8xf32>, vector<8xf32>
  return %x0, %w : tensor<2x8xf32>, vector<8xf32>
}

// -----

// In each iteration, %x is read before %t is written. But %x is the initial value of %t, and the next iteration reads
// %x again, so bufferization copies the tensor that is written.
// CHECK-LABEL: func.func @next_round(
// CHECK: scf.for
// CHECK: heddle.accesses ins
// MEMORY-LABEL: func.func @next_round(
// MEMORY: memref.alloc
// MEMORY: memref.copy
func.func @next_round(%x: tensor<2x8xf32> {bufferization.writable = true}) -> tensor<2x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %f = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%t = %x) -> tensor<2x8xf32> {
    %v = vector.transfer_read %x[%c0, %c0], %f {in_bounds = [true]} : tensor<2x8xf32>, vector<8xf32>
    %w = vector.transfer_read %x[%c1, %c0], %f {in_bounds = [true]} : tensor<2x8xf32>, vector<8xf32>
    %a = arith.addf %v, %w : vector<8xf32>
    %u = vector.transfer_write %a, %t[%c1, %c0] {in_bounds = [true]} : vector<8xf32>, tensor<2x8xf32>
    scf.yield %u : tensor<2x8xf32>
  }
  return %r : tensor<2x8xf32>
}

// -----

// A slice is read before its source tensor is written, so no copy is necessary.
// CHECK-LABEL: func.func @slice(
// CHECK: heddle.accesses ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<2x8xf32>)
// CHECK: first = array<i64: 3>, last = array<i64: 1, 3>
// MEMORY-LABEL: func.func @slice(
// MEMORY-NOT: alloc
// MEMORY-NOT: copy
// MEMORY: return
func.func @slice(%x: tensor<2x8xf32> {bufferization.writable = true}) -> tensor<2x8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 0.0 : f32
  %s = tensor.extract_slice %x[1, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32>
  %v = vector.transfer_read %s[%c0], %f {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
  %w = vector.transfer_read %s[%c4], %f {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
  %a = vector.shuffle %v, %w [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
  %r = vector.transfer_write %a, %x[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

// Both writes change only row 0 of the tensor and have different results, so bufferization copies the tensor. The group
// must not treat the write of a row as a write of the whole tensor.
// CHECK-LABEL: func.func @one_row(
// MEMORY-LABEL: func.func @one_row(
// MEMORY: memref.alloc
// MEMORY: memref.copy
func.func @one_row(%x: tensor<2x8xf32> {bufferization.writable = true}, %v: vector<8xf32>, %w: vector<8xf32>)
    -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %a = vector.transfer_write %v, %x[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, tensor<2x8xf32>
  %b = vector.transfer_write %w, %x[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, tensor<2x8xf32>
  return %a, %b : tensor<2x8xf32>, tensor<2x8xf32>
}
