// Errors of transform.heddle.lower_attention_tiles: operations, blocks and workgroups that it refuses.
// RUN: heddle-opt %s --transform-interpreter --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 64 : i64 -> !transform.param<i64>
    // expected-error @below {{is for heddle.attention, found func.func}}
    transform.heddle.lower_attention_tiles %op kinds([#heddle.fma<f32>]) block(%n x %n) warps(%n) stages(%n)
        threads(%n) kib(%n) blocks(%n) : !transform.any_op
    transform.yield
  }
  func.func @f() {
    return
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 64 : i64 -> !transform.param<i64>
    // expected-error @below {{expects 1 to 32 warps, found 64 x 1}}
    transform.heddle.lower_attention_tiles %op kinds([#heddle.fma<f32>]) block(%n x %n) warps(%n) stages(%n)
        threads(%n) kib(%n) blocks(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%q: tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32> {
    %0 = heddle.attention %q, %q, %q
      : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
    return %0 : tensor<1x2x8x4xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %zero = transform.param.constant 0 : i64 -> !transform.param<i64>
    %n = transform.param.constant 64 : i64 -> !transform.param<i64>
    // expected-error @below {{expects positive integers as block, warps, stages, threads, kib and blocks}}
    transform.heddle.lower_attention_tiles %op kinds([#heddle.fma<f32>]) block(%n x %n) warps(%n) stages(%zero)
        threads(%n) kib(%n) blocks(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%q: tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32> {
    %0 = heddle.attention %q, %q, %q
      : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
    return %0 : tensor<1x2x8x4xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %four = transform.param.constant 4 : i64 -> !transform.param<i64>
    %n = transform.param.constant 32 : i64 -> !transform.param<i64>
    // expected-error @below {{expects a block of whole fragments of 4 warps, found 32 queries and 32 keys}}
    transform.heddle.lower_attention_tiles %op kinds([#heddle.fma<f32>]) block(%n x %n) warps(%four) stages(%one)
        threads(%n) kib(%n) blocks(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%q: tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32> {
    %0 = heddle.attention %q, %q, %q
      : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
    return %0 : tensor<1x2x8x4xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %n = transform.param.constant 32 : i64 -> !transform.param<i64>
    // expected-error @below {{is for heads whose tiles, with blocks of at most 32 keys, fit into the registers and 1024 bytes of a workgroup of at most 32 threads, found 4 elements of queries and 4 of values}}
    transform.heddle.lower_attention_tiles %op kinds([#heddle.fma<f32>]) block(%n x %n) warps(%one) stages(%one)
        threads(%n) kib(%one) blocks(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%q: tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32> {
    %0 = heddle.attention %q, %q, %q
      : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
    return %0 : tensor<1x2x8x4xf32>
  }
}
// -----
// Only a compilation for a device has a stage that distributes tiles over lanes, so a strategy for CPUs is refused.
module attributes {transform.with_named_sequence, heddle.strategy = {op = "attention", target = "cpu", features = [], priority = 1}} {
  transform.named_sequence @tile(%op: !transform.any_op) {
    %n = transform.param.constant 32 : i64 -> !transform.param<i64>
    // expected-error @below {{is for strategies of devices, found target "cpu"}}
    transform.heddle.lower_attention_tiles %op kinds([#heddle.fma<f32>]) block(%n x %n) warps(%n) stages(%n)
        threads(%n) kib(%n) blocks(%n) : !transform.any_op
    transform.yield
  }
}
