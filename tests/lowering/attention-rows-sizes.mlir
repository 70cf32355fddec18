// RUN: heddle-opt %s --split-input-file '--heddle-tile=%{avx512} strategy=attention=attention-rows' | FileCheck %s

// With few queries, keys lie in lanes. In the last vector, the lanes after the last key are set to -inf.
// CHECK-LABEL: @fewQueries
// CHECK: %[[COUNT:.*]] = arith.minsi %{{.*}}, %c512
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<2x?xf32>)
// CHECK: %[[VECTORS:.*]] = arith.ceildivui %[[COUNT]], %c16
// CHECK: %[[LANES:.*]] = arith.muli %[[VECTORS]], %c16
// CHECK: %[[BEHIND:.*]] = arith.subi %[[LANES]], %[[COUNT]]
// CHECK: tensor.extract_slice %{{.*}}[0, %[[COUNT]]] [2, %[[BEHIND]]]
// CHECK: linalg.fill ins(%cst{{.*}} : f32) outs({{.*}} : tensor<2x?xf32>)
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<2x?x16xf32>) outs({{.*}} : tensor<2x16xf32>)
module attributes {heddle.sizes = [{name = "skv", low = 1, high = 900, placeholder = 4001}]} {
  func.func @fewQueries(%q: tensor<1x2x2x8xf32>, %k: tensor<1x2x4001x8xf32>) -> tensor<1x2x2x8xf32> attributes {heddle.kernel} {
    %0 = heddle.attention %q, %k, %k
      : (tensor<1x2x2x8xf32>, tensor<1x2x4001x8xf32>, tensor<1x2x4001x8xf32>) -> tensor<1x2x2x8xf32>
    return %0 : tensor<1x2x2x8xf32>
  }
}

// -----

// The keys are rows of a state. Only the filled rows are read, each once. Keys and values are prefetched 4096 bytes
// ahead. The second computation, which runs only if a value is not finite, does not prefetch. The queries of all heads
// that share a key head are the rows of one product.
// CHECK-LABEL: @state
// CHECK: scf.forall
// CHECK: %[[LENGTH:.*]] = tensor.extract %arg3
// CHECK: %[[VALID:.*]] = arith.minsi {{.*}} : i64
// CHECK: %[[FILLED:.*]] = arith.index_cast %[[VALID]]
// CHECK: scf.for
// CHECK: %[[LEFT:.*]] = arith.subi %[[FILLED]], %
// CHECK: arith.minsi %[[LEFT]], %c512
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<2x8xf32>, tensor<?x8xf32>) outs({{.*}} : tensor<2x?xf32>) attrs = {heddle.prefetch_bytes = 4096 : i64, heddle.prefetch_cache = 1 : i64}
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<?x8xf32>, tensor<2x?xf32>) outs({{.*}} : tensor<2x8xf32>) attrs = {heddle.prefetch_bytes = 4096 : i64, heddle.prefetch_cache = 1 : i64}
// CHECK: } {heddle.rare}
module attributes {heddle.sizes = [{name = "capacity", low = 1, high = 900, placeholder = 4001}],
                   heddle.state_sizes = array<i64: 1, 4001, 1>} {
  func.func @state(%q: tensor<1x4x1x8xf32>, %k: tensor<1x2x4001x8xf32>, %v: tensor<1x2x4001x8xf32>, %n: tensor<1xi64>)
      -> tensor<1x4x1x8xf32> attributes {heddle.kernel} {
    %0 = heddle.attention %q, %k, %v key_lengths(%n) causal(lower_right)
      : (tensor<1x4x1x8xf32>, tensor<1x2x4001x8xf32>, tensor<1x2x4001x8xf32>, tensor<1xi64>) -> tensor<1x4x1x8xf32>
    return %0 : tensor<1x4x1x8xf32>
  }
}

// -----

// This is like @state, but keys and values are stored in fewer bytes. If values are integers, the attention probability
// of a row is multiplied by the row's scale. The second computation dequantizes each element instead.
// CHECK-LABEL: @narrow
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<2x8xf32>, tensor<?x8xf32>) outs({{.*}} : tensor<2x?xf32>) attrs = {heddle.prefetch_bytes = 4096 : i64, heddle.prefetch_cache = 1 : i64}
// CHECK: %[[SCALES:.*]] = tensor.extract_slice %{{.*}} : tensor<4001xf32> to tensor<?xf32>
// CHECK: linalg.generic {{.*}} ins(%[[SCALES]] : tensor<?xf32>) outs({{.*}} : tensor<2x?xf32>)
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<?x8xi8>, tensor<2x?xf32>) outs({{.*}} : tensor<2x8xf32>) attrs = {heddle.prefetch_bytes = 4096 : i64, heddle.prefetch_cache = 1 : i64}
// CHECK-NOT: arith.mulf
// CHECK: arith.extsi
// CHECK: arith.sitofp
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<?x8xf32>, tensor<2x?xf32>) outs({{.*}} : tensor<2x8xf32>)
// CHECK: } {heddle.rare}
module attributes {heddle.sizes = [{name = "capacity", low = 1, high = 900, placeholder = 4001}],
                   heddle.state_sizes = array<i64: 1, 4001, 1>} {
  func.func @narrow(%q: tensor<1x4x1x8xf32>, %k: tensor<1x2x4001x8xbf16>, %v: tensor<1x2x4001x8xi8>,
                    %s: tensor<1x2x4001x1xf32>, %n: tensor<1xi64>) -> tensor<1x4x1x8xf32> attributes {heddle.kernel} {
    %key = heddle.dequantize %k : tensor<1x2x4001x8xbf16> -> tensor<1x2x4001x8xf32>
    %value = heddle.dequantize %v scales(%s : tensor<1x2x4001x1xf32>) block [1, 1, 1, 8]
      : tensor<1x2x4001x8xi8> -> tensor<1x2x4001x8xf32>
    %0 = heddle.attention %q, %key, %value key_lengths(%n) causal(lower_right)
      : (tensor<1x4x1x8xf32>, tensor<1x2x4001x8xf32>, tensor<1x2x4001x8xf32>, tensor<1xi64>) -> tensor<1x4x1x8xf32>
    return %0 : tensor<1x4x1x8xf32>
  }
}
