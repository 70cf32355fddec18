// RUN: heddle-opt %s --heddle-expand-conversions --heddle-expand-dots=features=avx512bf16 | FileCheck %s
// RUN: heddle-opt %s --heddle-expand-conversions --heddle-expand-dots=features=avx512bw | FileCheck %s --check-prefix=PLAIN

// Conversions to bf16 whose results are read only by products of bf16 have the flag afn. The pass
// heddle-expand-conversions leaves such conversions unchanged, and heddle-expand-dots expands them to the conversion
// instruction of AVX512_BF16. This instruction flushes denormals to zero, as the products do.
// CHECK-LABEL: @whole
// CHECK-NEXT: %[[NARROW:.*]] = llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"(%arg0) : (vector<16xf32>) -> vector<16xbf16>
// CHECK-NEXT: %[[WORDS:.*]] = llvm.bitcast %[[NARROW]] : vector<16xbf16> to vector<16xi16>
// CHECK-NEXT: arith.bitcast %[[WORDS]]
// CHECK-NEXT: return
// Without the instruction, such a conversion is expanded like conversions without the flag.
// PLAIN-LABEL: @whole
// PLAIN-NOT: truncf
// PLAIN: arith.cmpf uno
// PLAIN: arith.trunci {{.*}} : vector<16xi32> to vector<16xi16>
// PLAIN: return
func.func @whole(%x: vector<16xf32>) -> vector<16xbf16> {
  %0 = arith.truncf %x fastmath<afn> : vector<16xf32> to vector<16xbf16>
  return %0 : vector<16xbf16>
}

// A vector that is shorter than a register is padded to a whole register, and a longer vector is split.
// CHECK-LABEL: @parts
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"
// CHECK: vector.insert_strided_slice {{.*}} {offsets = [0], strides = [1]} : vector<16xbf16> into vector<20xbf16>
// CHECK: vector.insert_strided_slice {{.*}} : vector<4xf32> into vector<16xf32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"
// CHECK: vector.extract_strided_slice {{.*}} : vector<16xbf16> to vector<4xbf16>
// CHECK: vector.insert_strided_slice {{.*}} {offsets = [16], strides = [1]} : vector<4xbf16> into vector<20xbf16>
// CHECK-NOT: truncf
func.func @parts(%x: vector<20xf32>) -> vector<20xbf16> {
  %0 = arith.truncf %x fastmath<afn> : vector<20xf32> to vector<20xbf16>
  return %0 : vector<20xbf16>
}

// A conversion of a scalar is expanded to integer operations, and so is a conversion without the flag, which must keep
// denormals (@stored).
// CHECK-LABEL: @one
// CHECK-NOT: cvtneps2bf16
// CHECK: arith.trunci {{.*}} : i32 to i16
func.func @one(%x: f32) -> bf16 {
  %0 = arith.truncf %x fastmath<afn> : f32 to bf16
  return %0 : bf16
}
// CHECK-LABEL: @stored
// CHECK-NOT: cvtneps2bf16
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi16>
func.func @stored(%x: vector<16xf32>) -> vector<16xbf16> {
  %0 = arith.truncf %x : vector<16xf32> to vector<16xbf16>
  return %0 : vector<16xbf16>
}
