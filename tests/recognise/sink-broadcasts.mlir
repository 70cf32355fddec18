// RUN: heddle-opt %s --heddle-recognise --canonicalize | FileCheck %s

// An elementwise operation on broadcast tensors is computed before the broadcast, where the tensors are smaller.

// An exporter broadcasts a mask over all queries before it becomes a bias. After recognition, the bias has one row for
// each batch entry, which all queries share.

// CHECK-LABEL: @expanded_mask
// CHECK: %[[S:.*]] = arith.select {{.*}} : tensor<2x5xi1>, tensor<2x5xf32>
// CHECK: %[[B:.*]] = tensor.expand_shape %[[S]] {{.*}} into tensor<2x1x1x5xf32>
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} bias(%[[B]])
func.func @expanded_mask(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x4xf32>, %m: tensor<2x5xi1>) -> tensor<2x3x4xf32> {
  %z = arith.constant dense<0.0> : tensor<2x3x5xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %low = arith.constant dense<-1.0e4> : tensor<2x3x5xf32>
  %e = tensor.empty() : tensor<2x3x5xf32>
  %em = tensor.empty() : tensor<2x3x5xi1>
  %mb = linalg.broadcast ins(%m : tensor<2x5xi1>) outs(%em : tensor<2x3x5xi1>) dimensions = [1]
  %b = arith.select %mb, %z, %low : tensor<2x3x5xi1>, tensor<2x3x5xf32>
  %ek = tensor.empty() : tensor<2x4x5xf32>
  %kt = linalg.transpose ins(%k : tensor<2x5x4xf32>) outs(%ek : tensor<2x4x5xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%z : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %w = arith.addf %s, %b : tensor<2x3x5xf32>
  %p = linalg.softmax dimension(2) ins(%w : tensor<2x3x5xf32>) outs(%e : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x3x5xf32>, tensor<2x5x4xf32>) outs(%z2 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// Two biases, one with a number for each key and one with a number for each query, become one bias.

// CHECK-LABEL: @two_biases
// CHECK: %[[B:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<1x1x3x5xf32>
// CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} bias(%[[B]])
func.func @two_biases(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x4xf32>, %a: tensor<5xf32>, %b: tensor<3xf32>) -> tensor<3x4xf32> {
  %z = arith.constant dense<0.0> : tensor<3x5xf32>
  %z2 = arith.constant dense<0.0> : tensor<3x4xf32>
  %e = tensor.empty() : tensor<3x5xf32>
  %ab = linalg.broadcast ins(%a : tensor<5xf32>) outs(%e : tensor<3x5xf32>) dimensions = [0]
  %bb = linalg.broadcast ins(%b : tensor<3xf32>) outs(%e : tensor<3x5xf32>) dimensions = [1]
  %ek = tensor.empty() : tensor<4x5xf32>
  %kt = linalg.transpose ins(%k : tensor<5x4xf32>) outs(%ek : tensor<4x5xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<3x4xf32>, tensor<4x5xf32>) outs(%z : tensor<3x5xf32>) -> tensor<3x5xf32>
  %w0 = arith.addf %s, %ab : tensor<3x5xf32>
  %w = arith.addf %bb, %w0 : tensor<3x5xf32>
  %p = linalg.softmax dimension(1) ins(%w : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x5xf32>, tensor<5x4xf32>) outs(%z2 : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}
