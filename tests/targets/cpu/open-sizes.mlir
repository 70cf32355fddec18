// RUN: heddle-opt %s --heddle-open-sizes --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// What is a multiple of a number that stands for sizes becomes the same multiple of the sizes in the arena.
module attributes {heddle.sizes = [{name = "batch", low = 1, high = 8, stands = 4001}, {name = "length", low = 1, high = 512, stands = 4003}]} {
  // CHECK-LABEL: llvm.func @k0(
  // CHECK-SAME: %[[X:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr {heddle.arena}
  // CHECK-DAG: %[[AT:.*]] = llvm.getelementptr %[[ARENA]][16]
  // CHECK-DAG: %[[BATCH:.*]] = llvm.load %[[AT]] invariant
  // CHECK-DAG: %[[NEXT:.*]] = llvm.getelementptr %[[ARENA]][24]
  // CHECK-DAG: %[[LENGTH:.*]] = llvm.load %[[NEXT]] invariant
  // CHECK-DAG: %[[BOTH:.*]] = llvm.mul %[[BATCH]], %[[LENGTH]]
  // CHECK-DAG: %[[STRIDE:.*]] = llvm.mul %[[LENGTH]], %{{.*}}
  // CHECK: llvm.getelementptr %[[X]][%[[STRIDE]]]
  // CHECK: llvm.return %[[BOTH]]
  // CHECK: llvm.mlir.constant(4004 : i64)
  llvm.func @k0(%x: !llvm.ptr, %arena: !llvm.ptr {heddle.arena}) -> i64 {
    %rows = llvm.mlir.constant(16016003 : i64) : i64
    %row = llvm.getelementptr %x[12009] : (!llvm.ptr) -> !llvm.ptr, f32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    llvm.store %zero, %row : f32, !llvm.ptr
    llvm.return %rows : i64
  }
  llvm.func @other() -> i64 {
    %number = llvm.mlir.constant(4004 : i64) : i64
    llvm.return %number : i64
  }
}

// -----

module attributes {heddle.sizes = [{name = "m", low = 1, high = 8, stands = 4001}]} {
  llvm.func @k0() -> i64 {
    // expected-error @below {{its function has no arena, where sizes are}}
    %rows = llvm.mlir.constant(8002 : i64) : i64
    llvm.return %rows : i64
  }
}

// -----

module attributes {heddle.sizes = [{name = "m", low = 1, high = 8, stands = 4001}]} {
  llvm.func @k0(%arena: !llvm.ptr {heddle.arena}) -> i32 {
    // expected-error @below {{a size that lies in a range is needed as 'i32'}}
    %rows = llvm.mlir.constant(8002 : i32) : i32
    llvm.return %rows : i32
  }
}
