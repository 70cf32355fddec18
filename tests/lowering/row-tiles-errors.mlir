// Errors of transform.heddle.lower_row_tiles and match_row_tiles: layers, workgroups and strategies that they refuse.
// RUN: heddle-opt %s --transform-interpreter --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    // expected-error @below {{is for linalg.softmax, heddle.layer_norm and heddle.rms_norm, found func.func}}
    transform.heddle.lower_row_tiles %op warps(%one) threads(%threads) blocks(%one) columns(%one) lanes(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = heddle.rms_norm %x : (tensor<3x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.rms_norm"]} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 16 : i64 -> !transform.param<i64>
    // expected-error @below {{expects workgroups of at least 32 threads, found 16}}
    transform.heddle.lower_row_tiles %op warps(%one) threads(%threads) blocks(%one) columns(%one) lanes(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = heddle.rms_norm %x : (tensor<3x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.rms_norm"]} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %none = transform.param.constant 0 : i64 -> !transform.param<i64>
    // expected-error @below {{expects positive integers as warps, threads, blocks, columns and lanes}}
    transform.heddle.lower_row_tiles %op warps(%one) threads(%one) blocks(%one) columns(%none) lanes(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = heddle.rms_norm %x : (tensor<3x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.rms_norm"]} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    // expected-error @below {{is for rows of 1 to 4096 elements, found 4097}}
    transform.heddle.lower_row_tiles %op warps(%one) threads(%threads) blocks(%one) columns(%one) lanes(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x4097xf32>) -> tensor<3x4097xf32> {
    %0 = heddle.rms_norm %x : (tensor<3x4097xf32>) -> tensor<3x4097xf32>
    return %0 : tensor<3x4097xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    // expected-error @below {{is for at least one row}}
    transform.heddle.lower_row_tiles %op warps(%one) threads(%threads) blocks(%one) columns(%one) lanes(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<0x5xf32>, %out: tensor<0x5xf32>) -> tensor<0x5xf32> {
    %0 = linalg.softmax dimension(1) ins(%x : tensor<0x5xf32>) outs(%out : tensor<0x5xf32>) -> tensor<0x5xf32>
    return %0 : tensor<0x5xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.rms_norm"]} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %warps = transform.param.constant 64 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 2048 : i64 -> !transform.param<i64>
    // expected-error @below {{expects at most 32 warps, found 64}}
    transform.heddle.lower_row_tiles %op warps(%warps) threads(%threads) blocks(%one) columns(%one) lanes(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = heddle.rms_norm %x : (tensor<3x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
// -----
module attributes {transform.with_named_sequence, heddle.strategy = {op = "rms_norm", target = "cpu", features = [], priority = 1}} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.rms_norm"]} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    // expected-error @below {{is for strategies of devices, found target "cpu"}}
    transform.heddle.lower_row_tiles %op warps(%one) threads(%threads) blocks(%one) columns(%one) lanes(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = heddle.rms_norm %x : (tensor<3x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{is for tensors of static shape}}
    transform.heddle.match_row_tiles %op : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<?x5xf32>, %out: tensor<?x5xf32>) -> tensor<?x5xf32> {
    %0 = linalg.softmax dimension(1) ins(%x : tensor<?x5xf32>) outs(%out : tensor<?x5xf32>) -> tensor<?x5xf32>
    return %0 : tensor<?x5xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.rms_norm"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{is for elements of f32}}
    transform.heddle.match_row_tiles %op : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf64>) -> tensor<3x8xf64> {
    %0 = heddle.rms_norm %x : (tensor<3x8xf64>) -> tensor<3x8xf64>
    return %0 : tensor<3x8xf64>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{is for a softmax along the last dimension}}
    transform.heddle.match_row_tiles %op : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x5xf32>, %out: tensor<3x5xf32>) -> tensor<3x5xf32> {
    %0 = linalg.softmax dimension(0) ins(%x : tensor<3x5xf32>) outs(%out : tensor<3x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
}
// -----
module attributes {transform.with_named_sequence, heddle.sizes = [{name = "d", low = 1, high = 64, placeholder = 4001}]} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.rms_norm"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{is for a norm along rows of a fixed length}}
    transform.heddle.match_row_tiles %op : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x4001xf32>) -> tensor<3x4001xf32> {
    %0 = heddle.rms_norm %x : (tensor<3x4001xf32>) -> tensor<3x4001xf32>
    return %0 : tensor<3x4001xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.rms_norm"]} in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 6 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    // expected-error @below {{expects a power of two, at most 32, as lanes, found 6}}
    transform.heddle.lower_row_tiles %op warps(%one) threads(%threads) blocks(%one) columns(%one) lanes(%lanes) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = heddle.rms_norm %x : (tensor<3x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
