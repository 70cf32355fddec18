// Errors of transform.heddle.match_linear_tiles: operations and types that it refuses.
// RUN: heddle-opt %s --transform-interpreter --split-input-file --verify-diagnostics
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.layer_norm"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{is for heddle.linear and heddle.ffn, found heddle.layer_norm}}
    transform.heddle.match_linear_tiles %op kinds([#heddle.fma<f32>]) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = heddle.layer_norm %x : (tensor<3x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{is for rows of bf16, found f32}}
    transform.heddle.match_linear_tiles %op kinds([#heddle.mma<bf16>]) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %w: tensor<8x5xbf16>) -> tensor<3x5xf32> {
    %0 = heddle.dequantize %w : tensor<8x5xbf16> -> tensor<8x5xf32>
    %1 = heddle.linear %x, %0 : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %1 : tensor<3x5xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{is for a weight of bf16, found f32}}
    transform.heddle.match_linear_tiles %op kinds([#heddle.mma<bf16>]) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xbf16>, %w: tensor<8x5xf32>) -> tensor<3x5xf32> {
    %0 = heddle.dequantize %x : tensor<3x8xbf16> -> tensor<3x8xf32>
    %1 = heddle.linear %0, %w : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %1 : tensor<3x5xf32>
  }
}
// A weight that is stored as integers with scales cannot be read as bf16, nor can a slice of it.
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{is for a weight of bf16, found f32}}
    transform.heddle.match_linear_tiles %op kinds([#heddle.mma<bf16>]) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %w: tensor<8x10xi8>, %s: tensor<1x10xf32>) -> tensor<3x5xf32> {
    %0 = heddle.dequantize %w scales(%s : tensor<1x10xf32>) block [8, 1] : tensor<8x10xi8> -> tensor<8x10xf32>
    %1 = tensor.extract_slice %0[0, 0] [8, 5] [1, 1] : tensor<8x10xf32> to tensor<8x5xf32>
    %2 = heddle.linear %x, %1 rounding(<bf16>) : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %2 : tensor<3x5xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.ffn"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{is for elements of f16, found f32}}
    transform.heddle.match_linear_tiles %op kinds([#heddle.mma<f16>]) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %u: tensor<8x5xf32>, %d: tensor<5x8xf32>) -> tensor<3x8xf32> {
    %0 = heddle.ffn %x, %u, %d : (tensor<3x8xf32>, tensor<8x5xf32>, tensor<5x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
// The error lists for each kind of fragments why the layer cannot use it. Equal reasons are listed once.
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{is for a layer that rounds no rows, or all of them to bf16, found #heddle.row_rounding<ui8>; is for a layer that rounds no rows, or all of them to f32, found #heddle.row_rounding<ui8>}}
    transform.heddle.match_linear_tiles %op kinds([#heddle.mma<bf16>, #heddle.fma<f32>, #heddle.fma<f32>]) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) -> tensor<3x5xf32> {
    %0 = heddle.linear %x, %w rounding(<ui8>) : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.ffn"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{attribute 'kinds' failed to satisfy constraint: kinds of fragments with at least 1 elements}}
    transform.heddle.match_linear_tiles %op kinds([]) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %u: tensor<8x5xf32>, %d: tensor<5x8xf32>) -> tensor<3x8xf32> {
    %0 = heddle.ffn %x, %u, %d : (tensor<3x8xf32>, tensor<8x5xf32>, tensor<5x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
