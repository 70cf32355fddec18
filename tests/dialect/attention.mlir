// heddle.attention is printed and parsed again, in its own form and in the generic form.
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s -mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: @plain
func.func @plain(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<1x2x6x9xf32>) -> tensor<1x2x4x9xf32> {
  // CHECK: heddle.attention %arg0, %arg1, %arg2 : (
  %0 = heddle.attention %q, %k, %v : (tensor<1x2x4x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x9xf32>) -> tensor<1x2x4x9xf32>
  return %0 : tensor<1x2x4x9xf32>
}

// With `rounding`, the factors of both matrix products are rounded to the given type.
// CHECK-LABEL: @rounding
func.func @rounding(%q: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  // CHECK: heddle.attention %arg0, %arg0, %arg0 causal(lower_right) rounding(bf16) :
  %0 = heddle.attention %q, %q, %q rounding(bf16) causal(lower_right)
     : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %0 : tensor<1x2x4x8xf32>
}

// Optional operands and attributes may be written in any order. In the layout bshd, the dimension of heads is after the
// dimension of positions.
// CHECK-LABEL: @knobs
func.func @knobs(%q: tensor<1x4x12x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<1x6x2x9xf32>,
                 %b: tensor<12x4x6xf32>, %m: tensor<6xi1>, %l: tensor<1xi64>) -> tensor<1x4x12x9xf32> {
  // CHECK: heddle.attention %arg0, %arg1, %arg2 bias(%arg3) mask(%arg4) key_lengths(%arg5)
  // CHECK-SAME: causal(lower_right) window(3, *) scale(0.5) softcap(30.0)
  // CHECK-SAME: masked_score(-1.0e+09) empty_row(nan) softmax_precision(f64)
  // CHECK-SAME: query_layout(bshd) value_layout(bshd) result_layout(bshd) with_weights :
  %0:2 = heddle.attention %q, %k, %v scale(0.5) window(3, *) causal(lower_right) softcap(30.0)
     mask(%m) bias(%b) key_lengths(%l) masked_score(-1.0e9) empty_row(nan) softmax_precision(f64)
     query_layout(bshd) value_layout(bshd) result_layout(bshd) with_weights
     : (tensor<1x4x12x8xf32>, tensor<1x2x6x8xf32>, tensor<1x6x2x9xf32>, tensor<12x4x6xf32>, tensor<6xi1>, tensor<1xi64>)
    -> (tensor<1x4x12x9xf32>, tensor<1x12x4x6xf32>)
  return %0#0 : tensor<1x4x12x9xf32>
}

// With nan_to_zeros, probabilities that would be NaN are zeros.
// CHECK-LABEL: @guarded
func.func @guarded(%q: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  // CHECK: heddle.attention %arg0, %arg0, %arg0 empty_row(nan_to_zeros) :
  %0 = heddle.attention %q, %q, %q empty_row(nan_to_zeros)
     : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %0 : tensor<1x2x4x8xf32>
}

// Attributes may also be written in the attribute dictionary.
// CHECK-LABEL: @dictionary
func.func @dictionary(%q: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  // CHECK: heddle.attention %arg0, %arg0, %arg0 causal(upper_left) window(2, 0) scale(0.5) {note = "kept"} :
  %0 = heddle.attention %q, %q, %q {causal = #heddle.causal<upper_left>, scale = 0.5 : f64, window = array<i64: 2, 0>, note = "kept"}
     : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %0 : tensor<1x2x4x8xf32>
}

// A dynamic size matches any size. The type of the result may be more or less specific than those of the operands.
// CHECK-LABEL: @dynamic
func.func @dynamic(%q: tensor<?x2x?x8xf16>, %k: tensor<3x2x?x?xf16>, %v: tensor<?x2x5x9xf16>) -> (tensor<3x2x?x9xf16>, tensor<?x2x7x?xf16>) {
  // CHECK-COUNT-2: heddle.attention
  %0 = heddle.attention %q, %k, %v : (tensor<?x2x?x8xf16>, tensor<3x2x?x?xf16>, tensor<?x2x5x9xf16>) -> tensor<3x2x?x9xf16>
  %1 = heddle.attention %q, %k, %v : (tensor<?x2x?x8xf16>, tensor<3x2x?x?xf16>, tensor<?x2x5x9xf16>) -> tensor<?x2x7x?xf16>
  return %0, %1 : tensor<3x2x?x9xf16>, tensor<?x2x7x?xf16>
}

// The regions `score` and `probability` change scores and probabilities. The last arguments of a region are elements of
// the tensors in `reads`, one for each tensor. An element in f16 is extended to f32.
// CHECK-LABEL: @regions
func.func @regions(%q: tensor<1x2x4x8xf16>, %s: tensor<2x1x1xf16>, %m: tensor<4xi1>) -> tensor<1x2x4x8xf16> {
  // CHECK: heddle.attention %arg0, %arg0, %arg0 reads(%arg1, %arg2) causal(lower_right) score {
  // CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[R:.*]]: f32, %{{.*}}: i1):
  // CHECK-NEXT: %[[M:.*]] = arith.mulf %[[S]], %[[R]] : f32
  // CHECK-NEXT: heddle.yield %[[M]] : f32
  // CHECK-NEXT: } probability {
  // CHECK: heddle.yield %{{.*}} : f32
  // CHECK-NEXT: } {note = "kept"} : (
  %0 = heddle.attention %q, %q, %q reads(%s, %m) causal(lower_right) score {
  ^bb0(%score: f32, %b: index, %h: index, %i: index, %j: index, %read: f32, %kept: i1):
    %x = arith.mulf %score, %read : f32
    heddle.yield %x : f32
  } probability {
  ^bb0(%weight: f32, %b: index, %h: index, %i: index, %j: index, %read: f32, %kept: i1):
    %zero = arith.constant 0.0 : f32
    %x = arith.select %kept, %weight, %zero : f32
    heddle.yield %x : f32
  } {note = "kept"} : (tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>, tensor<2x1x1xf16>, tensor<4xi1>) -> tensor<1x2x4x8xf16>
  return %0 : tensor<1x2x4x8xf16>
}

// If the softmax is computed in f64, the region takes and yields scores in f64.
// CHECK-LABEL: @wide
func.func @wide(%q: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  // CHECK: softmax_precision(f64) score {
  %0 = heddle.attention %q, %q, %q softmax_precision(f64) score {
  ^bb0(%score: f64, %b: index, %h: index, %i: index, %j: index):
    %x = math.absf %score : f64
    heddle.yield %x : f64
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %0 : tensor<1x2x4x8xf32>
}
