// RUN: heddle-opt %s --heddle-widen-floats="products=bf16 attention-products=bf16" | FileCheck %s
// RUN: heddle-opt %s --heddle-widen-floats="products=f16 attention-products=f16" | FileCheck %s --check-prefix=OTHER --implicit-check-not=rounding

// If the target multiplies bf16, a linear layer rounds the rows that it reads to bf16, the type that they have in the
// model. Rows that are stored as bf16 are not rounded again.
// CHECK-LABEL: func.func @layers
// OTHER-LABEL: func.func @layers
// CHECK: %[[FIRST:.*]] = heddle.linear {{.*}} activation(gelu) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
// CHECK: heddle.linear %[[FIRST]], %{{.*}} rounding(<bf16>) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
// OTHER: arith.truncf {{.*}} : tensor<4x8xf32> to tensor<4x8xbf16>
func.func @layers(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<4x8xbf16> {
  %0 = heddle.linear %x, %w activation(gelu) : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %1 = heddle.linear %0, %w : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  return %1 : tensor<4x8xbf16>
}

// If the right operand of a product is a weight, the left operand is rounded, before any reshape of it. Operands of
// other products, right operands, and values that no product reads are not rounded.
// CHECK-LABEL: func.func @products
// OTHER-LABEL: func.func @products
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[EXPANDED:.*]] = tensor.expand_shape %[[SUM]]
// CHECK: %[[NARROW:.*]] = arith.truncf %[[SUM]] : tensor<32xf32> to tensor<32xbf16>
// CHECK: %[[WIDE:.*]] = heddle.dequantize %[[NARROW]]
// CHECK: %[[ROWS:.*]] = tensor.expand_shape %[[WIDE]]
// CHECK: linalg.matmul ins(%[[ROWS]], %{{.*}} : tensor<4x8xf32>, tensor<8x8xf32>)
// CHECK: linalg.matmul ins(%[[EXPANDED]], %{{.*}} : tensor<4x8xf32>, tensor<8x4xf32>)
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<8x8xf32>, tensor<8x4xf32>)
// CHECK-NOT: truncf
// CHECK: return
// OTHER-NOT: truncf
// OTHER: return
func.func @products(%x: tensor<32xbf16>, %t: tensor<8x4xbf16>) -> (tensor<4x8xf32>, tensor<4x4xf32>, tensor<8x4xf32>) {
  %zero = arith.constant 0.0 : bf16
  %w = heddle.weight "w" : tensor<8x8xbf16>
  %y = arith.addf %x, %x : tensor<32xbf16>
  %rows = tensor.expand_shape %y [[0, 1]] output_shape [4, 8] : tensor<32xbf16> into tensor<4x8xbf16>
  %columns = arith.addf %t, %t : tensor<8x4xbf16>
  %e0 = tensor.empty() : tensor<4x8xbf16>
  %i0 = linalg.fill ins(%zero : bf16) outs(%e0 : tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %e1 = tensor.empty() : tensor<4x4xbf16>
  %i1 = linalg.fill ins(%zero : bf16) outs(%e1 : tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %e2 = tensor.empty() : tensor<8x4xbf16>
  %i2 = linalg.fill ins(%zero : bf16) outs(%e2 : tensor<8x4xbf16>) -> tensor<8x4xbf16>
  %0 = linalg.matmul ins(%rows, %w : tensor<4x8xbf16>, tensor<8x8xbf16>) outs(%i0 : tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = linalg.matmul ins(%rows, %columns : tensor<4x8xbf16>, tensor<8x4xbf16>) outs(%i1 : tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %2 = linalg.matmul ins(%w, %columns : tensor<8x8xbf16>, tensor<8x4xbf16>) outs(%i2 : tensor<8x4xbf16>) -> tensor<8x4xbf16>
  %w0 = arith.extf %0 : tensor<4x8xbf16> to tensor<4x8xf32>
  %w1 = arith.extf %1 : tensor<4x4xbf16> to tensor<4x4xf32>
  %w2 = arith.extf %2 : tensor<8x4xbf16> to tensor<8x4xf32>
  return %w0, %w1, %w2 : tensor<4x8xf32>, tensor<4x4xf32>, tensor<8x4xf32>
}

// A weight that the model computes is not stored as bf16, and the transposition of an input is computed in f32, so
// these layers have no products of bf16.
// CHECK-LABEL: func.func @computed
// CHECK-NOT: rounding
// CHECK: return
func.func @computed(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<4x8xbf16> {
  %sum = arith.addf %x, %x : tensor<4x8xbf16>
  %twice = arith.addf %w, %w : tensor<8x8xbf16>
  %0 = heddle.linear %sum, %twice : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %e = tensor.empty() : tensor<8x8xbf16>
  %turned = linalg.transpose ins(%w : tensor<8x8xbf16>) outs(%e : tensor<8x8xbf16>) permutation = [1, 0]
  %1 = heddle.linear %0, %turned : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  return %1 : tensor<4x8xbf16>
}

// A weight is transposed when it is stored, so this layer has products of bf16.
// CHECK-LABEL: func.func @transposed
// CHECK: heddle.linear {{.*}} rounding(<bf16>)
func.func @transposed(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %w = heddle.weight "w" : tensor<8x8xbf16>
  %sum = arith.addf %x, %x : tensor<4x8xbf16>
  %e = tensor.empty() : tensor<8x8xbf16>
  %turned = linalg.transpose ins(%w : tensor<8x8xbf16>) outs(%e : tensor<8x8xbf16>) permutation = [1, 0]
  %0 = heddle.linear %sum, %turned : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// A weight that is broadcast, and a transposition of a slice with strides, are computed in f32, so these layers have no
// products of bf16.
// CHECK-LABEL: func.func @not_folded
// CHECK-NOT: rounding
// CHECK: return
func.func @not_folded(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %row = heddle.weight "row" : tensor<8xbf16>
  %large = heddle.weight "large" : tensor<16x16xbf16>
  %sum = arith.addf %x, %x : tensor<4x8xbf16>
  %e = tensor.empty() : tensor<8x8xbf16>
  %rows = linalg.broadcast ins(%row : tensor<8xbf16>) outs(%e : tensor<8x8xbf16>) dimensions = [0]
  %0 = heddle.linear %sum, %rows : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %part = tensor.extract_slice %large[1, 0] [8, 8] [2, 2] : tensor<16x16xbf16> to tensor<8x8xbf16>
  %turned = linalg.transpose ins(%part : tensor<8x8xbf16>) outs(%e : tensor<8x8xbf16>) permutation = [1, 0]
  %1 = heddle.linear %0, %turned : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  return %1 : tensor<4x8xbf16>
}

// Attention rounds the factors of its products, unless it returns the probabilities or computes the softmax in f64.
// CHECK-LABEL: func.func @attention
// CHECK: heddle.attention {{.*}} rounding(bf16) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
// CHECK-NOT: rounding
// CHECK: return
func.func @attention(%x: tensor<1x2x4x8xbf16>) -> (tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x4xbf16>) {
  %0 = heddle.attention %x, %x, %x
    : (tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>) -> tensor<1x2x4x8xbf16>
  %1 = heddle.attention %0, %x, %x softmax_precision(f64)
    : (tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>) -> tensor<1x2x4x8xbf16>
  %2:2 = heddle.attention %1, %x, %x with_weights
    : (tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>) -> (tensor<1x2x4x8xbf16>, tensor<1x2x4x4xbf16>)
  return %1, %2#0, %2#1 : tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x4xbf16>
}
