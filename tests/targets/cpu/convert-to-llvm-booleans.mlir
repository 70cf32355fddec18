// RUN: heddle-opt %s --heddle-convert-to-llvm | FileCheck %s

// A boolean (i1) is a byte in memory. So loads of vectors truncate bytes to i1, and stores extend i1 to bytes.
// CHECK-LABEL: @loaded
// CHECK: llvm.load {{.*}} -> vector<16xi8>
// CHECK: llvm.trunc {{.*}} : vector<16xi8> to vector<16xi1>
// CHECK: llvm.zext {{.*}} : vector<16xi1> to vector<16xi8>
// CHECK: llvm.intr.masked.load {{.*}} -> vector<16xi8>
// CHECK: llvm.trunc {{.*}} : vector<16xi8> to vector<16xi1>
func.func @loaded(%from: memref<40xi1>, %mask: vector<16xi1>) -> vector<16xi1> {
  %at = arith.constant 8 : index
  %0 = vector.load %from[%at] : memref<40xi1>, vector<16xi1>
  %1 = vector.maskedload %from[%at], %mask, %0 : memref<40xi1>, vector<16xi1>, vector<16xi1> into vector<16xi1>
  return %1 : vector<16xi1>
}

// CHECK-LABEL: @stored
// CHECK: llvm.zext {{.*}} : vector<16xi1> to vector<16xi8>
// CHECK: llvm.store {{.*}} : vector<16xi8>
// CHECK: llvm.zext {{.*}} : vector<16xi1> to vector<16xi8>
// CHECK: llvm.intr.masked.store {{.*}} : vector<16xi8>, vector<16xi1>
func.func @stored(%value: vector<16xi1>, %to: memref<40xi1>, %mask: vector<16xi1>) {
  %at = arith.constant 8 : index
  vector.store %value, %to[%at] : memref<40xi1>, vector<16xi1>
  vector.maskedstore %to[%at], %mask, %value : memref<40xi1>, vector<16xi1>, vector<16xi1>
  return
}
