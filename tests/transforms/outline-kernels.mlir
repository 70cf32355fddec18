// RUN: heddle-opt %s --split-input-file --heddle-outline-kernels | FileCheck %s

// Neighbouring elementwise operations share a kernel. A boolean crosses the boundary of a kernel as a byte.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32> {{.*}}, %[[M:.*]]: tensor<4x8xi8>
// CHECK: %[[W:.*]] = heddle.weight "w"
// CHECK: call @k0(%[[X]], %[[W]], %[[M]], %{{.*}})
// CHECK-LABEL: func.func private @k0(
// CHECK-SAME: bufferization.writable = false
// CHECK-SAME: bufferization.writable = true
// CHECK-SAME: heddle.kernel
// CHECK: arith.cmpi ne
// CHECK: arith.addf
// CHECK: arith.select
func.func @main(%x: tensor<4x8xf32>, %m: tensor<4x8xi1>) -> tensor<4x8xf32> {
  %w = heddle.weight "w" : tensor<4x8xf32>
  %0 = arith.addf %x, %w : tensor<4x8xf32>
  %1 = arith.select %m, %0, %x : tensor<4x8xi1>, tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A reshape stays in @main. A slice is extracted inside the kernel that reads it.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK-NOT: extract_slice
// CHECK: %[[V:.*]] = tensor.expand_shape %[[X]]
// CHECK: call @k0(%[[V]], %{{.*}})
// CHECK-LABEL: func.func private @k0(
// CHECK: tensor.extract_slice
// CHECK: heddle.layer_norm
func.func @main(%x: tensor<4x8xf32>, %g: tensor<4xf32>) -> tensor<4x4xf32> {
  %v = tensor.expand_shape %x [[0], [1, 2]] output_shape [4, 2, 4] : tensor<4x8xf32> into tensor<4x2x4xf32>
  %s = tensor.extract_slice %v[0, 1, 0] [4, 1, 4] [1, 1, 1] : tensor<4x2x4xf32> to tensor<4x4xf32>
  %r = heddle.layer_norm %s scale(%g) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// A softmax is a root, an operation with a kernel of its own. Elementwise operations before and after a root do not
// share a kernel, because the shared kernel and the kernel of the root would need each other's results.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:.*]] = call @[[K0:k[0-9]+]](
// CHECK: %[[B:.*]] = call @[[K1:k[0-9]+]](%[[A]]
// CHECK: call @[[K2:k[0-9]+]](%[[A]], %[[B]]
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = math.exp %x : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %b = linalg.softmax dimension(1) ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = arith.mulf %a, %b : tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}

// -----

// A returned slice must be written to a destination, so a kernel copies it.
// CHECK-LABEL: func.func @main(
// CHECK: %[[R:.*]] = call @k0(
// CHECK: return %[[R]]
func.func @main(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %s = tensor.extract_slice %x[1, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// A constant of booleans is also stored as bytes.
// CHECK-LABEL: func.func private @k0(
// CHECK: %[[BYTES:.*]] = arith.constant dense<[1, 0, 1]> : tensor<3xi8>
// CHECK: linalg.generic {{.*}} ins(%[[BYTES]] : tensor<3xi8>)
// CHECK: arith.cmpi ne
// CHECK: arith.select
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %m = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %0 = arith.select %m, %x, %y : tensor<3xi1>, tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// If a constant of booleans is a result, its elements are bytes from the beginning, so @main converts nothing.
// CHECK: func.func @main({{.*}} -> (tensor<3xf32>, tensor<3xi8>
// CHECK-NOT: linalg
// CHECK: %[[TRUE:.*]] = arith.constant dense<1> : tensor<3xi8>
// CHECK: return %{{.*}}, %[[TRUE]]
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi1>) {
  %0 = arith.addf %x, %x : tensor<3xf32>
  %m = arith.constant dense<true> : tensor<3xi1>
  return %0, %m : tensor<3xf32>, tensor<3xi1>
}

// -----

// The stored tensors of a quantized weight are arguments of the kernel.
// CHECK: func.func @main(%[[X:[a-z0-9]+]]: tensor<4x8xf32> {{.*}}) -> tensor<4x16xf32>
// CHECK: %[[W:.*]] = heddle.weight "w" : tensor<8x16xbf16>
// CHECK: call @k0(%[[X]], %[[W]], %{{.*}})
// CHECK: func.func private @k0({{.*}}, %[[IN:[a-z0-9]+]]: tensor<8x16xbf16>
// CHECK: %[[WIDE:.*]] = heddle.dequantize %[[IN]]
// CHECK: heddle.linear %{{.*}}, %[[WIDE]]
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %w = heddle.weight "w" : tensor<8x16xbf16>
  %ww = heddle.dequantize %w : tensor<8x16xbf16> -> tensor<8x16xf32>
  %0 = heddle.linear %x, %ww : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

// Insertions into one tensor share a kernel, also if a reshape is between them.
// CHECK: func.func @main(
// CHECK-COUNT-1: call @k
// CHECK-NOT: call @k
// CHECK: func.func private @k0(%[[A:.*]]: tensor<2x8xf32> {{.*}}, %[[B:.*]]: tensor<2x8xf32> {{.*}}, %{{.*}}: tensor<2x2x8xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty()
// CHECK: %[[ONE:.*]] = tensor.insert_slice %[[A]] into %[[EMPTY]]
// CHECK: %[[VIEW:.*]] = tensor.expand_shape %[[ONE]]
// CHECK: %[[TWO:.*]] = tensor.insert_slice %[[B]] into %[[VIEW]]
// CHECK: return %[[TWO]]
func.func @main(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>) -> tensor<2x2x8xf32> {
  %0 = tensor.empty() : tensor<4x8xf32>
  %1 = tensor.insert_slice %a into %0[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
  %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [2, 2, 8] : tensor<4x8xf32> into tensor<2x2x8xf32>
  %3 = tensor.insert_slice %b into %2[1, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<2x8xf32> into tensor<2x2x8xf32>
  return %3 : tensor<2x2x8xf32>
}

// -----

// The result of the first insertion is used twice, so each insertion has a kernel of its own.
// CHECK: func.func @main(
// CHECK: %[[ONE:.*]] = call @k0(
// CHECK: %[[TWO:.*]] = call @k1({{.*}}%[[ONE]]
// CHECK: return %[[ONE]], %[[TWO]]
func.func @main(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>, %c: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tensor.insert_slice %a into %c[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
  %1 = tensor.insert_slice %b into %0[2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Two results (%2 and %3) begin with the same insertion into an empty tensor (%1). Each of them has a kernel with two
// insertions, since a kernel that copies %1 would read elements that are not defined.
// CHECK: func.func @main(
// CHECK: call @k0(
// CHECK: call @k1(
// CHECK-NOT: call @k
// CHECK: func.func private @k0(
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
// CHECK: return
// CHECK: func.func private @k1(
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
// CHECK: return
// CHECK-NOT: func.func private
func.func @main(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>, %c: tensor<2x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tensor.empty() : tensor<4x8xf32>
  %1 = tensor.insert_slice %a into %0[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
  %2 = tensor.insert_slice %b into %1[2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
  %3 = tensor.insert_slice %c into %1[2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
  return %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}
