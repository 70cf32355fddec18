// RUN: heddle-opt %s --heddle-expand-math --heddle-expand-dots=features=avx512dq | FileCheck %s
// RUN: heddle-opt %s --heddle-expand-math --heddle-expand-dots=features=avx2 | FileCheck %s --check-prefix=PLAIN

// The pass heddle-expand-math does not change a GELU in which erf has the flag afn. On a CPU with AVX512DQ, the pass
// heddle-expand-dots expands this GELU to a polynomial whose five coefficients are looked up in tables in registers
// (permvar).
// CHECK-LABEL: @gelu
// CHECK: %[[T:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%arg0,
// CHECK-COUNT-5: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// CHECK-NOT: permvar
// CHECK-NOT: math.erf
// CHECK: %[[BELOW:.*]] = llvm.call_intrinsic "llvm.x86.avx512.min.ps.512"(%arg0,
// CHECK: arith.subf %arg0, %[[BELOW]]
// CHECK: math.fma
// CHECK-NEXT: return
// On a CPU without AVX512DQ, erf becomes the same polynomial as an erf without the flag.
// PLAIN-LABEL: @gelu
// PLAIN-NOT: math.erf
// PLAIN-COUNT-15: math.fma {{.*}} : vector<16xf32>
// PLAIN: return
func.func @gelu(%x: vector<16xf32>) -> vector<16xf32> {
  %root = arith.constant dense<0.707106769> : vector<16xf32>
  %half = arith.constant dense<0.5> : vector<16xf32>
  %scaled = arith.mulf %x, %root : vector<16xf32>
  %erf = math.erf %scaled fastmath<afn> : vector<16xf32>
  %halved = arith.mulf %x, %half : vector<16xf32>
  %y = vector.fma %halved, %erf, %halved : vector<16xf32>
  return %y : vector<16xf32>
}

// A vector of 8 elements is padded to 16 elements for the lookups.
// CHECK-LABEL: @few
// CHECK: vector.insert_strided_slice %arg0
// CHECK-COUNT-5: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// CHECK: vector.extract_strided_slice {{.*}} to vector<8xf32>
func.func @few(%x: vector<8xf32>) -> vector<8xf32> {
  %root = arith.constant dense<0.707106769> : vector<8xf32>
  %half = arith.constant dense<0.5> : vector<8xf32>
  %scaled = arith.mulf %x, %root : vector<8xf32>
  %erf = math.erf %scaled fastmath<afn> : vector<8xf32>
  %halved = arith.mulf %x, %half : vector<8xf32>
  %y = vector.fma %halved, %erf, %halved : vector<8xf32>
  return %y : vector<8xf32>
}

// An erf with the flag that is not part of a GELU, and an erf without the flag, become the polynomial.
// CHECK-LABEL: @others
// CHECK-NOT: math.erf
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
func.func @others(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %0 = math.erf %x fastmath<afn> : vector<16xf32>
  %1 = math.erf %x : vector<16xf32>
  return %0, %1 : vector<16xf32>, vector<16xf32>
}
