// RUN: heddle-opt %s --heddle-recognise --split-input-file | FileCheck %s

// Linear attention, (elu(q) + 1) ((elu(k) + 1)^T v), becomes heddle.linear_attention. The pass must find out which
// dimensions the products contract, even if all sizes are equal.

// The feature map elu(x) + 1 is written in two forms, for q with expm1 and for k with exp. The feature map of q is
// divided by 2.

// CHECK-LABEL: @scaled
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<3x4xf32>, %[[K:[a-z0-9]*]]: tensor<5x4xf32>, %[[V:[a-z0-9]*]]: tensor<5x2xf32>
// CHECK: heddle.linear_attention %[[Q]], %[[K]], %[[V]] scale(0.5)
// CHECK-NEXT: return
func.func @scaled(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x2xf32>) -> tensor<3x2xf32> {
  %z34 = arith.constant dense<0.0> : tensor<3x4xf32>
  %z54 = arith.constant dense<0.0> : tensor<5x4xf32>
  %z42 = arith.constant dense<0.0> : tensor<4x2xf32>
  %z32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %o34 = arith.constant dense<1.0> : tensor<3x4xf32>
  %o54 = arith.constant dense<1.0> : tensor<5x4xf32>
  %two = arith.constant dense<2.0> : tensor<3x4xf32>
  %e45 = tensor.empty() : tensor<4x5xf32>
  %q0 = math.expm1 %q : tensor<3x4xf32>
  %q1 = arith.cmpf ogt, %q, %z34 : tensor<3x4xf32>
  %q2 = arith.select %q1, %q, %q0 : tensor<3x4xi1>, tensor<3x4xf32>
  %q3 = arith.addf %q2, %o34 : tensor<3x4xf32>
  %q4 = arith.divf %q3, %two : tensor<3x4xf32>
  %k0 = math.exp %k : tensor<5x4xf32>
  %k1 = arith.subf %k0, %o54 : tensor<5x4xf32>
  %k2 = arith.cmpf olt, %k, %z54 : tensor<5x4xf32>
  %k3 = arith.select %k2, %k1, %k : tensor<5x4xi1>, tensor<5x4xf32>
  %k4 = arith.addf %k3, %o54 : tensor<5x4xf32>
  %kt = linalg.transpose ins(%k4 : tensor<5x4xf32>) outs(%e45 : tensor<4x5xf32>) permutation = [1, 0]
  %kv = linalg.matmul ins(%kt, %v : tensor<4x5xf32>, tensor<5x2xf32>) outs(%z42 : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r = linalg.matmul ins(%q4, %kv : tensor<3x4xf32>, tensor<4x2xf32>) outs(%z32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

// Without feature maps of queries and keys, two products are not recognised as linear attention.

// CHECK-LABEL: @no_feature_map
// CHECK-COUNT-2: linalg.matmul
func.func @no_feature_map(%q: tensor<3x4xf32>, %k: tensor<4x5xf32>, %v: tensor<5x2xf32>) -> tensor<3x2xf32> {
  %z42 = arith.constant dense<0.0> : tensor<4x2xf32>
  %z32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %kv = linalg.matmul ins(%k, %v : tensor<4x5xf32>, tensor<5x2xf32>) outs(%z42 : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r = linalg.matmul ins(%q, %kv : tensor<3x4xf32>, tensor<4x2xf32>) outs(%z32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

// All sizes are equal. The first product transposes the key by its indexing map.

// CHECK-LABEL: @square
// CHECK-NOT: linalg.transpose
// CHECK: heddle.linear_attention
func.func @square(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %z = arith.constant dense<0.0> : tensor<4x4xf32>
  %one = arith.constant dense<1.0> : tensor<4x4xf32>
  %q0 = math.expm1 %q : tensor<4x4xf32>
  %q1 = arith.cmpf ogt, %q, %z : tensor<4x4xf32>
  %q2 = arith.select %q1, %q, %q0 : tensor<4x4xi1>, tensor<4x4xf32>
  %q3 = arith.addf %q2, %one : tensor<4x4xf32>
  %k0 = math.expm1 %k : tensor<4x4xf32>
  %k1 = arith.cmpf ogt, %k, %z : tensor<4x4xf32>
  %k2 = arith.select %k1, %k, %k0 : tensor<4x4xi1>, tensor<4x4xf32>
  %k3 = arith.addf %k2, %one : tensor<4x4xf32>
  %kv = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%k3, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%q3, %kv : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// The indexing map of the last product transposes the result of the first product: q (k^T v)^T. This is not linear
// attention.

// CHECK-LABEL: @square_transposed_state
// CHECK-NOT: heddle.linear_attention
// CHECK-COUNT-2: linalg.matmul
func.func @square_transposed_state(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %z = arith.constant dense<0.0> : tensor<4x4xf32>
  %one = arith.constant dense<1.0> : tensor<4x4xf32>
  %q0 = math.expm1 %q : tensor<4x4xf32>
  %q1 = arith.cmpf ogt, %q, %z : tensor<4x4xf32>
  %q2 = arith.select %q1, %q, %q0 : tensor<4x4xi1>, tensor<4x4xf32>
  %q3 = arith.addf %q2, %one : tensor<4x4xf32>
  %k0 = math.expm1 %k : tensor<4x4xf32>
  %k1 = arith.cmpf ogt, %k, %z : tensor<4x4xf32>
  %k2 = arith.select %k1, %k, %k0 : tensor<4x4xi1>, tensor<4x4xf32>
  %k3 = arith.addf %k2, %one : tensor<4x4xf32>
  %kv = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%k3, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%q3, %kv : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// No product transposes the keys: q (k v). This is linear attention of the transposed keys.

// CHECK-LABEL: @square_keys_as_they_are
// CHECK: linalg.transpose ins(%{{.*}}permutation = [1, 0]
// CHECK: heddle.linear_attention
func.func @square_keys_as_they_are(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %z = arith.constant dense<0.0> : tensor<4x4xf32>
  %one = arith.constant dense<1.0> : tensor<4x4xf32>
  %q0 = math.expm1 %q : tensor<4x4xf32>
  %q1 = arith.cmpf ogt, %q, %z : tensor<4x4xf32>
  %q2 = arith.select %q1, %q, %q0 : tensor<4x4xi1>, tensor<4x4xf32>
  %q3 = arith.addf %q2, %one : tensor<4x4xf32>
  %k0 = math.expm1 %k : tensor<4x4xf32>
  %k1 = arith.cmpf ogt, %k, %z : tensor<4x4xf32>
  %k2 = arith.select %k1, %k, %k0 : tensor<4x4xi1>, tensor<4x4xf32>
  %k3 = arith.addf %k2, %one : tensor<4x4xf32>
  %kv = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%k3, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%q3, %kv : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
