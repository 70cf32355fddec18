// RUN: heddle-opt %s --heddle-convert-to-llvm | FileCheck %s

// bf16 values become 16-bit integers. LLVM would compile shuffles of vectors of bf16 to library calls.
// CHECK-NOT: bf16
// CHECK: llvm.mlir.global private constant @table(dense<[16256, -16384]> : tensor<2xi16>)
memref.global "private" constant @table : memref<2xbf16> = dense<[1.0, -2.0]>
// CHECK: llvm.shufflevector {{.*}} : vector<4xi16>
// CHECK-NOT: bf16
func.func @move(%from: memref<8xbf16>, %to: memref<4xbf16>, %at: index) {
  %one = arith.constant dense<1.0> : vector<4xbf16>
  %zero = arith.constant 0.0 : bf16
  %table = memref.get_global @table : memref<2xbf16>
  %first = memref.load %table[%at] : memref<2xbf16>
  %a = vector.load %from[%at] : memref<8xbf16>, vector<4xbf16>
  %b = vector.shuffle %a, %one [0, 4, 1, 5] : vector<4xbf16>, vector<4xbf16>
  %c = vector.insert %first, %b[0] : bf16 into vector<4xbf16>
  %d = vector.insert %zero, %c[1] : bf16 into vector<4xbf16>
  vector.store %d, %to[%at] : memref<4xbf16>, vector<4xbf16>
  return
}
