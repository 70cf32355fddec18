// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},canonicalize)' | FileCheck %s

// A slice that is read, changed and inserted at the same place is changed in place: its offsets, sizes and strides are
// the same values.
// CHECK-LABEL: func.func @values(
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @values(%x: tensor<?x8xf32> {bufferization.writable = true}, %i: index, %n: index, %v: vector<8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract_slice %x[%i, 0] [%n, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %1 = vector.transfer_write %v, %0[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, tensor<?x8xf32>
  %2 = tensor.insert_slice %1 into %x[%i, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

// The offsets are different values, but they are known to be equal.
// CHECK-LABEL: func.func @bounds(
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @bounds(%x: tensor<?x8xf32> {bufferization.writable = true}, %i: index, %n: index, %v: vector<8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %less = arith.subi %i, %c1 : index
  %j = arith.addi %less, %c1 : index
  %0 = tensor.extract_slice %x[%i, 0] [%n, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %1 = vector.transfer_write %v, %0[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, tensor<?x8xf32>
  %2 = tensor.insert_slice %1 into %x[%j, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

// The slice is inserted at another place, so the tensor must keep the elements of the slice that was read.
// CHECK-LABEL: func.func @places(
// CHECK: memref.alloc
// CHECK: return
func.func @places(%x: tensor<?x8xf32> {bufferization.writable = true}, %n: index, %v: vector<8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract_slice %x[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %1 = vector.transfer_write %v, %0[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, tensor<?x8xf32>
  %2 = tensor.insert_slice %1 into %x[4, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

// It is unknown whether the offsets are equal, so the tensor must also keep the elements of the slice that was read.
// CHECK-LABEL: func.func @unknown(
// CHECK: memref.alloc
// CHECK: return
func.func @unknown(%x: tensor<?x8xf32> {bufferization.writable = true}, %i: index, %j: index, %n: index, %v: vector<8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract_slice %x[%i, 0] [%n, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %1 = vector.transfer_write %v, %0[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, tensor<?x8xf32>
  %2 = tensor.insert_slice %1 into %x[%j, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}
