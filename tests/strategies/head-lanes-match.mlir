// With the strategy attention-heads, each lane of a vector belongs to a query of a different head. The strategy is
// eligible for attention with few heads that lie side by side in memory. For other attention, the error must contain
// the reason why the strategy is not eligible. With at most 8 queries, attention-rows is chosen by default (FEW).
// RUN: split-file %s %t
// RUN: heddle-opt %source/tests/strategies/Inputs/attention-heads.mlir --heddle-tile=%{avx512} | FileCheck %s --check-prefix=FEW
// RUN: heddle-opt %t/fits.mlir --heddle-tile=%{avx512} | FileCheck %s
// RUN: heddle-opt %t/fits.mlir --heddle-tile | FileCheck %s --check-prefix=PLAIN
// RUN: not heddle-opt %t/grouped.mlir "--heddle-tile=%{avx512} strategy=attention=attention-heads" 2>&1 | FileCheck %s --check-prefix=GROUPED
// RUN: not heddle-opt %t/apart.mlir "--heddle-tile=%{avx512} strategy=attention=attention-heads" 2>&1 | FileCheck %s --check-prefix=APART
// RUN: not heddle-opt %t/masked.mlir "--heddle-tile=%{avx512} strategy=attention=attention-heads" 2>&1 | FileCheck %s --check-prefix=MASKED
// RUN: not heddle-opt %t/three.mlir "--heddle-tile=%{avx512} strategy=attention=attention-heads" 2>&1 | FileCheck %s --check-prefix=THREE

// FEW: name = "attention-rows"
// CHECK: lanes = 16 : i64,{{.*}} name = "attention-heads"
// PLAIN: lanes = 8 : i64,{{.*}} name = "attention-heads"
// GROUPED: needs 2 to 16 query heads and as many key heads, found 4 query heads and 2 key heads
// APART: supports only operands and results in layout bshd
// MASKED: supports only attention in f32 without bias, mask, key lengths, causal, window, softcap, regions or attention probabilities as a result
// THREE: needs heads that fill vector lanes better than the queries do, found 3 heads and 16 queries

//--- fits.mlir
func.func @kernel(%q: tensor<1x12x3x4xf32>) -> tensor<1x12x3x4xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %q, %q query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<1x12x3x4xf32>, tensor<1x12x3x4xf32>, tensor<1x12x3x4xf32>) -> tensor<1x12x3x4xf32>
  return %0 : tensor<1x12x3x4xf32>
}
//--- grouped.mlir
func.func @kernel(%q: tensor<1x12x4x4xf32>, %k: tensor<1x12x2x4xf32>) -> tensor<1x12x4x4xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %k query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<1x12x4x4xf32>, tensor<1x12x2x4xf32>, tensor<1x12x2x4xf32>) -> tensor<1x12x4x4xf32>
  return %0 : tensor<1x12x4x4xf32>
}
//--- apart.mlir
func.func @kernel(%q: tensor<1x4x12x4xf32>) -> tensor<1x4x12x4xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %q, %q
    : (tensor<1x4x12x4xf32>, tensor<1x4x12x4xf32>, tensor<1x4x12x4xf32>) -> tensor<1x4x12x4xf32>
  return %0 : tensor<1x4x12x4xf32>
}
//--- masked.mlir
func.func @kernel(%q: tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %q, %q causal(lower_right) query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<1x12x4x4xf32>, tensor<1x12x4x4xf32>, tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
  return %0 : tensor<1x12x4x4xf32>
}
//--- three.mlir
func.func @kernel(%q: tensor<1x16x3x4xf32>) -> tensor<1x16x3x4xf32> attributes {heddle.kernel} {
  %0 = heddle.attention %q, %q, %q query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
    : (tensor<1x16x3x4xf32>, tensor<1x16x3x4xf32>, tensor<1x16x3x4xf32>) -> tensor<1x16x3x4xf32>
  return %0 : tensor<1x16x3x4xf32>
}
