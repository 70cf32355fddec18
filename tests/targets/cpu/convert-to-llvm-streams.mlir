// RUN: heddle-opt %s --heddle-convert-to-llvm | FileCheck %s

// The CPU may delay nontemporal stores beyond later stores. So a function with such stores ends with a fence. Otherwise
// another thread could see that the task is done, and read old values.
// CHECK-LABEL: llvm.func @streaming(
// CHECK: llvm.store {{.*}} {alignment = 64 : i64, nontemporal}
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: llvm.return
func.func private @streaming(%x: memref<16xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
  vector.store %v, %y[%c0] {alignment = 64 : i64, nontemporal = true} : memref<16xf32>, vector<16xf32>
  return
}
