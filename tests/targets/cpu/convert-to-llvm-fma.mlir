// RUN: heddle-opt %s --heddle-convert-to-llvm | FileCheck %s

// A multiply-add does not become llvm.intr.fma, because LLVM would compile it to a call of fmaf for a CPU without FMA.
// CHECK-LABEL: @fma
// CHECK-COUNT-2: llvm.intr.fmuladd
// CHECK-NOT: llvm.intr.fma(
func.func @fma(%x: f32, %v: vector<16xf32>) -> (f32, vector<16xf32>) {
  %0 = math.fma %x, %x, %x : f32
  %1 = math.fma %v, %v, %v : vector<16xf32>
  return %0, %1 : f32, vector<16xf32>
}
