// RUN: heddle-opt %s --pass-pipeline="builtin.module(func.func(heddle-unroll-sums))" | FileCheck %s

// A loop that adds up vectors is unrolled by four if its number of iterations is a multiple of four (%whole). A loop of
// 30 iterations (%rest) and a loop that adds up scalars (%scalar) do not change.
// CHECK: scf.for {{.*}} step %c4{{.*}} -> (vector<4xf32>)
// CHECK-COUNT-4: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.for {{.*}} step %c1{{.*}} -> (vector<4xf32>)
// CHECK: scf.for {{.*}} step %c1{{.*}} -> (f32)
func.func @sums(%a: memref<32xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c30 = arith.constant 30 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  scf.forall (%g) in (1) {
    scf.forall (%t) in (1) {
      %whole = scf.for %k = %c0 to %c32 step %c1 iter_args(%sum = %zeros) -> (vector<4xf32>) {
        %x = memref.load %a[%k] : memref<32xf32>
        %xs = vector.broadcast %x : f32 to vector<4xf32>
        %next = vector.fma %xs, %xs, %sum : vector<4xf32>
        scf.yield %next : vector<4xf32>
      }
      %rest = scf.for %k = %c0 to %c30 step %c1 iter_args(%sum = %whole) -> (vector<4xf32>) {
        %next = arith.addf %sum, %sum : vector<4xf32>
        scf.yield %next : vector<4xf32>
      }
      %scalar = scf.for %k = %c0 to %c32 step %c1 iter_args(%sum = %zero) -> (f32) {
        %next = arith.addf %sum, %sum : f32
        scf.yield %next : f32
      }
      memref.store %scalar, %out[%c0] : memref<4xf32>
      vector.transfer_write %rest, %out[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
    }
  }
  return
}
