// Errors of the transform operations that strategies use: unsuitable target operations, parameters and shapes.
// RUN: heddle-opt %s --transform-interpreter --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @below {{expects heddle.linear as target, found func.func}}
    transform.heddle.pack_weight %f panel(%n) : !transform.any_op
    transform.yield
  }
  func.func @f() { return }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @below {{expects two numbers as shared: the number of interleaved panels, and the number of columns of a panel}}
    transform.heddle.pack_weight %linear panel(%n) shared(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) -> tensor<3x5xf32> {
    %0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 3 : i64 -> !transform.param<i64>
    %none = transform.param.constant 0 : i64 -> !transform.param<i64>
    // expected-error @below {{expects as shared: a number of panels that is not negative, and a positive number of columns}}
    transform.heddle.pack_weight %linear panel(%n) shared(%n, %none) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) -> tensor<3x5xf32> {
    %0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @below {{expects heddle.linear as target, found func.func}}
    transform.heddle.lower_linear %f lanes(%lanes) panel(%n) registers(%n) : !transform.any_op
    transform.yield
  }
  func.func @f() { return }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 0 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @below {{expects positive integers as lanes, panel and registers}}
    transform.heddle.lower_linear %f lanes(%lanes) panel(%n) registers(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<2x4xf32>, %w: tensor<4x8xf32>) -> tensor<2x8xf32> {
    %0 = heddle.linear %x, %w : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @below {{cannot lower heddle.linear}}
    transform.heddle.lower_linear %f lanes(%lanes) panel(%n) registers(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<?x4xf32>, %w: tensor<4x8xf32>) -> tensor<?x8xf32> {
    // expected-error @below {{expects static shapes, found input 'tensor<?x4xf32>', weight 'tensor<4x8xf32>'}}
    %0 = heddle.linear %x, %w : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
    return %0 : tensor<?x8xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 4 : i64 -> !transform.param<i64>
    // expected-error @below {{expects heddle.layer_norm or heddle.rms_norm as target, found func.func}}
    transform.heddle.lower_norm %f rows(%n) : !transform.any_op
    transform.yield
  }
  func.func @f() { return }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 4 : i64 -> !transform.param<i64>
    // expected-error @below {{expects a tensor of static shape, found 'tensor<?x4xf32>'}}
    transform.heddle.lower_softmax %f rows(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %0 = linalg.softmax dimension(1) ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects heddle.ffn as target, found func.func}}
    transform.heddle.decompose_ffn %f : !transform.any_op
    transform.yield
  }
  func.func @f() { return }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects heddle.rotary_embedding as target, found func.func}}
    transform.heddle.decompose_rotary %f : !transform.any_op
    transform.yield
  }
  func.func @f() { return }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    %count = transform.param.constant 32 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 512 : i64 -> !transform.param<i64>
    // expected-error @below {{cannot vectorise a tile}}
    transform.heddle.vectorize %f lanes(%n) registers(%count x %bits) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
    // expected-error @below {{cannot be vectorised: expected a tile of static size, found a dynamic loop}}
    %0 = linalg.copy ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    %count = transform.param.constant 32 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 512 : i64 -> !transform.param<i64>
    // expected-error @below {{cannot vectorise a tile}}
    transform.heddle.vectorize %f lanes(%n) registers(%count x %bits) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<8xindex>, %o: tensor<8xindex>) -> tensor<8xindex> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<8xindex>) outs(%o : tensor<8xindex>) {
    ^bb0(%i: index, %j: index):
      // expected-error @below {{cannot be vectorised in the body of linalg.generic}}
      %1 = affine.apply affine_map<(i) -> (i ceildiv 3)>(%i)
      linalg.yield %1 : index
    } -> tensor<8xindex>
    return %0 : tensor<8xindex>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    %back = transform.param.constant -1 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @below {{expects four non-negative integers as weight: the maximum size of a part of a panel in KiB (0: no maximum), the prefetch distance in panels, the minimum number of rows for which panels are prefetched, and the level of the cache to prefetch into (1 to 3)}}
    transform.heddle.lower_linear %f lanes(%lanes) panel(%n) registers(%n) weight(%one, %back, %one, %one)
        : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<2x4xf32>, %w: tensor<4x8xf32>) -> tensor<2x8xf32> {
    %0 = heddle.linear %x, %w : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @below {{expects heddle.linear or heddle.ffn as target, found func.func}}
    transform.heddle.block_rows %f rows(%n) : !transform.any_op
    transform.yield
  }
  func.func @f() { return }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 0 : i64 -> !transform.param<i64>
    // expected-error @below {{expects a positive integer as rows}}
    transform.heddle.block_rows %f rows(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<2x4xf32>, %w: tensor<4x8xf32>) -> tensor<2x8xf32> {
    %0 = heddle.linear %x, %w : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @below {{expects static shapes, found result 'tensor<?x8xf32>'}}
    transform.heddle.block_rows %f rows(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<?x4xf32>, %w: tensor<4x8xf32>) -> tensor<?x8xf32> {
    %0 = heddle.linear %x, %w : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
    return %0 : tensor<?x8xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %n = transform.param.constant 0 : i64 -> !transform.param<i64>
    // expected-error @below {{expects positive integers as lanes, registers and bits}}
    transform.heddle.vectorize %root lanes(%n) registers(%n x %n) : !transform.any_op
    transform.yield
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    %count = transform.param.constant 8 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 128 : i64 -> !transform.param<i64>
    // expected-error @below {{expects registers for at least 4 vectors, found registers for 2}}
    transform.heddle.vectorize %root lanes(%n) registers(%count x %bits) : !transform.any_op
    transform.yield
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %n = transform.param.constant 12 : i64 -> !transform.param<i64>
    %count = transform.param.constant 32 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 512 : i64 -> !transform.param<i64>
    // expected-error @below {{expects a power of two that is at least 4 as lanes, found 12}}
    transform.heddle.vectorize %root lanes(%n) blocks registers(%count x %bits) : !transform.any_op
    transform.yield
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @below {{expects heddle.attention as target, found func.func}}
    transform.heddle.lower_attention_heads %f lanes(%lanes) : !transform.any_op
    transform.yield
  }
  func.func @f() { return }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @below {{needs a constant weight that is stored in fewer bits}}
    transform.heddle.lower_rounded_linear %linear lanes(%n) panel(%n) interleaved(%n) registers(%n) unsigned(%n) row_bits(%n) : !transform.any_op
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
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects a heddle.linear with the attribute rounding, found heddle.linear}}
    transform.heddle.round_rows %linear : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) -> tensor<3x5xf32> {
    %0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %linear = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @below {{cannot lower heddle.linear}}
    transform.heddle.lower_linear %linear lanes(%n) panel(%n) registers(%n) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) -> tensor<3x5xf32> {
    // expected-error @below {{this lowering does not support a layer that rounds the rows of its input}}
    %0 = heddle.linear %x, %w rounding(<ui8>) : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %none = transform.param.constant 0 : i64 -> !transform.param<i64>
    // expected-error @below {{expects a positive integer as the number to divide into shares}}
    %share = transform.heddle.share 1 of 8 in %none
    transform.yield
  }
  func.func @f() { return }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant 16 : i64 -> !transform.param<i64>
    %small = transform.param.constant 3 : i64 -> !transform.param<i64>
    %none = transform.heddle.share 1 of 4 in %small
    // expected-error @below {{expects positive integers as lanes, block_q, block_k, query_kib, score_kib and past_cache}}
    transform.heddle.lower_attention %op lanes(%n) block_q(%n) score_kib(%none) : !transform.any_op
    transform.yield
  }
  func.func @f(%q: tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32> {
    %0 = heddle.attention %q, %q, %q : (tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
    return %0 : tensor<1x2x8x8xf32>
  }
}
