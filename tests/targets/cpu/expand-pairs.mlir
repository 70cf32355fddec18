// RUN: heddle-opt %s --heddle-expand-conversions --heddle-expand-dots=features=avx512bf16 | FileCheck %s
// RUN: heddle-opt %s --heddle-expand-conversions --heddle-expand-dots=features=avx512bw | FileCheck %s --check-prefix=PLAIN

// heddle.pair rounds two vectors of f32 to bf16 and interleaves them. Each i32 of the result contains two bf16.
// CHECK-LABEL: @pair
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"
// CHECK: %[[SIDE:.*]] = vector.interleave %{{.*}}, %{{.*}} : vector<16xbf16> -> vector<32xbf16>
// CHECK: vector.bitcast %[[SIDE]] : vector<32xbf16> to vector<16xi32>
// PLAIN-LABEL: @pair
// PLAIN-NOT: truncf
// PLAIN: vector.interleave
func.func @pair(%a: vector<16xf32>, %b: vector<16xf32>) -> vector<16xi32> {
  %0 = heddle.pair %a, %b : vector<16xf32> to vector<16xi32>
  return %0 : vector<16xi32>
}

// heddle.pair_dot adds to each f32 the product of the lower bf16 of two i32 and the product of their upper bf16.
// CHECK-LABEL: @dot
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// Without the instruction vdpbf16ps, each bf16 is extended to an f32, whose upper half it becomes.
// PLAIN-LABEL: @dot
// PLAIN-NOT: call_intrinsic
// PLAIN-COUNT-2: math.fma
func.func @dot(%a: vector<16xi32>, %b: vector<16xi32>, %sums: vector<16xf32>) -> vector<16xf32> {
  %0 = heddle.pair_dot %a, %b, %sums : vector<16xi32>, vector<16xf32>
  return %0 : vector<16xf32>
}

// Operations on scalars are expanded like operations on vectors of one element.
// CHECK-LABEL: @scalars
// CHECK-NOT: heddle.
// CHECK: vector.extract {{.*}} : i32 from vector<1xi32>
// CHECK: vector.extract {{.*}} : f32 from vector<1xf32>
func.func @scalars(%a: f32, %b: f32, %sum: f32) -> f32 {
  %0 = heddle.pair %a, %b : f32 to i32
  %1 = heddle.pair_dot %0, %0, %sum : i32, f32
  return %1 : f32
}
