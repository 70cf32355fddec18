// The region of heddle.accesses contains operations that access elements of tensors. They are numbered in their order,
// from 0. For each tensor, `last` contains the number of the last operation that accesses it. For each tensor that is
// written (`outs`), `first` contains the number of the first operation that writes it, and `overwritten` is true if
// none of its previous elements is kept or read. The first function is parsed and printed. In each of the other
// functions, an attribute, a region argument or a result type does not fit the operands.
// RUN: heddle-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @accesses(
// CHECK: heddle.accesses ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<2xf32>) -> tensor<2xf32>, f32 {
// CHECK: heddle.yield %{{.*}} : f32
// CHECK-NEXT: } {first = array<i64: 1>, last = array<i64: 0, 1>, overwritten = array<i1: false>}
func.func @accesses(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, f32) {
  %c0 = arith.constant 0 : index
  %0:2 = heddle.accesses ins(%x : tensor<4xf32>) outs(%y : tensor<2xf32>) -> tensor<2xf32>, f32 {
  ^bb0(%from: memref<4xf32>, %to: memref<2xf32>):
    %v = memref.load %from[%c0] : memref<4xf32>
    memref.store %v, %to[%c0] : memref<2xf32>
    heddle.yield %v : f32
  } {first = array<i64: 1>, last = array<i64: 0, 1>, overwritten = array<i1: false>}
  return %0#0, %0#1 : tensor<2xf32>, f32
}

// -----

func.func @numbers(%x: tensor<4xf32>) {
  // expected-error @below {{expects one element of `last` for each tensor, and one element of `first` and `overwritten` for each of `outs`}}
  heddle.accesses ins(%x : tensor<4xf32>) {
  ^bb0(%from: memref<4xf32>):
    heddle.yield
  } {first = array<i64>, last = array<i64>, overwritten = array<i1>}
  return
}

// -----

func.func @count(%x: tensor<4xf32>) {
  // expected-error @below {{expects its region to have one argument, a buffer, for each of `ins` and `outs`}}
  heddle.accesses ins(%x : tensor<4xf32>) {
    heddle.yield
  } {first = array<i64>, last = array<i64: 0>, overwritten = array<i1>}
  return
}

// -----

func.func @buffer(%x: tensor<4xf32>) {
  // expected-error @below {{expects a buffer of 'tensor<4xf32>', found 'memref<3xf32>'}}
  heddle.accesses ins(%x : tensor<4xf32>) {
  ^bb0(%from: memref<3xf32>):
    heddle.yield
  } {first = array<i64>, last = array<i64: 0>, overwritten = array<i1>}
  return
}

// -----

func.func @results(%x: tensor<4xf32>) {
  // expected-error @below {{expects results with the types of `outs` and of the yielded values}}
  heddle.accesses outs(%x : tensor<4xf32>) {
  ^bb0(%to: memref<4xf32>):
    heddle.yield
  } {first = array<i64: 0>, last = array<i64: 0>, overwritten = array<i1: true>}
  return
}
