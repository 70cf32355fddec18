// Errors of transform.heddle.lower_attention_parts: operations, steps and workgroups that it refuses.
// RUN: heddle-opt %s --transform-interpreter --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %keys = transform.param.constant 32 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 64 : i64 -> !transform.param<i64>
    %n = transform.param.constant 64 : i64 -> !transform.param<i64>
    // expected-error @below {{is for heddle.attention, found func.func}}
    transform.heddle.lower_attention_parts %op kinds([#heddle.fma<f32>]) keys(%keys) stages(%n) threads(%threads)
        kib(%n) blocks(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%q: tensor<1x2x40x4xf32>) -> tensor<1x2x40x4xf32> {
    %0 = heddle.attention %q, %q, %q
      : (tensor<1x2x40x4xf32>, tensor<1x2x40x4xf32>, tensor<1x2x40x4xf32>) -> tensor<1x2x40x4xf32>
    return %0 : tensor<1x2x40x4xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %keys = transform.param.constant 0 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 64 : i64 -> !transform.param<i64>
    %n = transform.param.constant 64 : i64 -> !transform.param<i64>
    // expected-error @below {{expects positive integers as keys, stages, threads, kib and blocks}}
    transform.heddle.lower_attention_parts %op kinds([#heddle.fma<f32>]) keys(%keys) stages(%n) threads(%threads)
        kib(%n) blocks(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%q: tensor<1x2x40x4xf32>) -> tensor<1x2x40x4xf32> {
    %0 = heddle.attention %q, %q, %q
      : (tensor<1x2x40x4xf32>, tensor<1x2x40x4xf32>, tensor<1x2x40x4xf32>) -> tensor<1x2x40x4xf32>
    return %0 : tensor<1x2x40x4xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %keys = transform.param.constant 48 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 64 : i64 -> !transform.param<i64>
    %n = transform.param.constant 64 : i64 -> !transform.param<i64>
    // expected-error @below {{expects steps of whole fragments, found 48 keys}}
    transform.heddle.lower_attention_parts %op kinds([#heddle.fma<f32>]) keys(%keys) stages(%n) threads(%threads)
        kib(%n) blocks(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%q: tensor<1x2x40x4xf32>) -> tensor<1x2x40x4xf32> {
    %0 = heddle.attention %q, %q, %q
      : (tensor<1x2x40x4xf32>, tensor<1x2x40x4xf32>, tensor<1x2x40x4xf32>) -> tensor<1x2x40x4xf32>
    return %0 : tensor<1x2x40x4xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %keys = transform.param.constant 32 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 64 : i64 -> !transform.param<i64>
    %n = transform.param.constant 64 : i64 -> !transform.param<i64>
    // expected-error @below {{is for queries of a head that fit into the registers and 65536 bytes of a workgroup of at most 64 threads, found 40 queries, of }}
    transform.heddle.lower_attention_parts %op kinds([#heddle.fma<f32>]) keys(%keys) stages(%n) threads(%threads)
        kib(%n) blocks(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%q: tensor<1x2x40x4xf32>) -> tensor<1x2x40x4xf32> {
    %0 = heddle.attention %q, %q, %q
      : (tensor<1x2x40x4xf32>, tensor<1x2x40x4xf32>, tensor<1x2x40x4xf32>) -> tensor<1x2x40x4xf32>
    return %0 : tensor<1x2x40x4xf32>
  }
}
