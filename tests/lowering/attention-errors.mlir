// Errors of the transform operations that lower attention: unsuitable shapes, element types and parameters.
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --transform-interpreter

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 64 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_attention %op lanes(%lanes) block_q(%n) block_k(%n) : !transform.any_op
    transform.yield
  }
  func.func @dynamic(%q: tensor<1x2x?x8xf32>, %k: tensor<1x2x9x8xf32>) -> tensor<1x2x?x8xf32> {
    // expected-error @+1 {{cannot lower attention on 'tensor<1x2x?x8xf32>': its shape must be static}}
    %0 = heddle.attention %q, %k, %k
      : (tensor<1x2x?x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x9x8xf32>) -> tensor<1x2x?x8xf32>
    return %0 : tensor<1x2x?x8xf32>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 64 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_attention %op lanes(%lanes) block_q(%n) stored : !transform.any_op
    transform.yield
  }
  func.func @half(%q: tensor<1x2x4x8xf16>, %k: tensor<1x2x9x8xf16>) -> tensor<1x2x4x8xf16> {
    // expected-error @+1 {{cannot lower attention on elements of type 'f16': only f32 and f64 are supported}}
    %0 = heddle.attention %q, %k, %k
      : (tensor<1x2x4x8xf16>, tensor<1x2x9x8xf16>, tensor<1x2x9x8xf16>) -> tensor<1x2x4x8xf16>
    return %0 : tensor<1x2x4x8xf16>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 0 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @+1 {{expects positive integers as lanes, block_q, block_k, query_kib, score_kib and past_cache}}
    transform.heddle.lower_attention %op lanes(%lanes) block_q(%n) stored : !transform.any_op
    transform.yield
  }
  func.func @blocks(%q: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
    %0 = heddle.attention %q, %q, %q
      : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
    return %0 : tensor<1x2x4x8xf32>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["heddle.linear_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_linear_attention %op lanes(%lanes) : !transform.any_op
    transform.yield
  }
  func.func @linear(%q: tensor<?x8xf32>) -> tensor<?x8xf32> {
    // expected-error @+1 {{cannot lower linear attention on 'tensor<?x8xf32>': its shape must be static}}
    %0 = heddle.linear_attention %q, %q, %q : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    return %0 : tensor<?x8xf32>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["heddle.recurrent_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %kib = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_recurrent_attention %op state_kib(%kib) : !transform.any_op
    transform.yield
  }
  func.func @recurrent(%q: tensor<1x?x2x8xf32>) -> (tensor<1x?x2x8xf32>, tensor<1x2x8x8xf32>) {
    // expected-error @+1 {{cannot lower recurrent attention on 'tensor<1x?x2x8xf32>': its shape must be static}}
    %0:2 = heddle.recurrent_attention %q, %q, %q
      : (tensor<1x?x2x8xf32>, tensor<1x?x2x8xf32>, tensor<1x?x2x8xf32>) -> (tensor<1x?x2x8xf32>, tensor<1x2x8x8xf32>)
    return %0#0, %0#1 : tensor<1x?x2x8xf32>, tensor<1x2x8x8xf32>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_attention_heads %op lanes(%lanes) : !transform.any_op
    transform.yield
  }
  func.func @wide(%q: tensor<1x12x4x9xf32>) -> tensor<1x12x4x9xf32> {
    // expected-error @+1 {{cannot lower attention with heads in lanes: supports heads of at most 8 elements, found 9 in queries and 9 in values}}
    %0 = heddle.attention %q, %q, %q query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
      : (tensor<1x12x4x9xf32>, tensor<1x12x4x9xf32>, tensor<1x12x4x9xf32>) -> tensor<1x12x4x9xf32>
    return %0 : tensor<1x12x4x9xf32>
  }
}

// -----

module attributes {transform.with_named_sequence, heddle.sizes = [{name = "skv", low = 1, high = 90, placeholder = 4001}]} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 64 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_attention %op lanes(%lanes) block_q(%n) block_k(%n) in_rows : !transform.any_op
    transform.yield
  }
  func.func @keysInLanes(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4001x8xf32>)
      -> (tensor<1x2x4x8xf32>, tensor<1x2x4x4001xf32>) {
    // expected-error @+1 {{cannot lower attention with keys in vector lanes in one block: the number of keys lies in a range}}
    %0:2 = heddle.attention %q, %k, %k with_weights
      : (tensor<1x2x4x8xf32>, tensor<1x2x4001x8xf32>, tensor<1x2x4001x8xf32>)
        -> (tensor<1x2x4x8xf32>, tensor<1x2x4x4001xf32>)
    return %0#0, %0#1 : tensor<1x2x4x8xf32>, tensor<1x2x4x4001xf32>
  }
}

// -----

module attributes {transform.with_named_sequence, heddle.sizes = [{name = "sq", low = 1, high = 8, placeholder = 4001}]} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 64 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_attention %op lanes(%lanes) block_q(%n) block_k(%n) in_rows : !transform.any_op
    transform.yield
  }
  func.func @queriesInRange(%q: tensor<1x2x4001x8xf32>, %k: tensor<1x2x90x8xf32>) -> tensor<1x2x4001x8xf32> {
    // expected-error @+1 {{cannot lower attention with keys in vector lanes: the number of queries lies in a range}}
    %0 = heddle.attention %q, %k, %k
      : (tensor<1x2x4001x8xf32>, tensor<1x2x90x8xf32>, tensor<1x2x90x8xf32>) -> tensor<1x2x4001x8xf32>
    return %0 : tensor<1x2x4001x8xf32>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 64 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.lower_attention %op lanes(%lanes) block_q(%n) block_k(%n) in_parts : !transform.any_op
    transform.yield
  }
  func.func @partsWithoutRows(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x90x8xf32>) -> tensor<1x2x4x8xf32> {
    // expected-error @+1 {{cannot divide the keys of attention into parts: `in_parts` requires `in_rows`}}
    %0 = heddle.attention %q, %k, %k
      : (tensor<1x2x4x8xf32>, tensor<1x2x90x8xf32>, tensor<1x2x90x8xf32>) -> tensor<1x2x4x8xf32>
    return %0 : tensor<1x2x4x8xf32>
  }
}
