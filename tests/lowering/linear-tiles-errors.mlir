// Errors of transform.heddle.lower_linear_tiles: layers, blocks and strategies that it refuses.
// RUN: heddle-opt %s --transform-interpreter --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 64 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 64 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 16 : i64 -> !transform.param<i64>
    %down = transform.param.constant 2 : i64 -> !transform.param<i64>
    %across = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    // expected-error @below {{lowers heddle.linear, found func.func}}
    transform.heddle.lower_linear_tiles %op kind(#heddle.fma<f32>) block(%rows x %columns) depth(%depth)
        warps(%down x %across) threads(%threads) blocks(%one) stages(%one) : !transform.any_op
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
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 64 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 64 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 16 : i64 -> !transform.param<i64>
    %down = transform.param.constant 2 : i64 -> !transform.param<i64>
    %across = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    // expected-error @below {{is for a layer that rounds no rows, or all of them to f32, found #heddle.row_rounding<ui8>}}
    transform.heddle.lower_linear_tiles %op kind(#heddle.fma<f32>) block(%rows x %columns) depth(%depth)
        warps(%down x %across) threads(%threads) blocks(%one) stages(%one) : !transform.any_op
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
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 64 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 64 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 16 : i64 -> !transform.param<i64>
    %down = transform.param.constant 2 : i64 -> !transform.param<i64>
    %across = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    // expected-error @below {{is for elements of f32, found f64}}
    transform.heddle.lower_linear_tiles %op kind(#heddle.fma<f32>) block(%rows x %columns) depth(%depth)
        warps(%down x %across) threads(%threads) blocks(%one) stages(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf64>, %w: tensor<8x5xf64>) -> tensor<3x5xf64> {
    %0 = heddle.linear %x, %w : (tensor<3x8xf64>, tensor<8x5xf64>) -> tensor<3x5xf64>
    return %0 : tensor<3x5xf64>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 64 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 64 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 16 : i64 -> !transform.param<i64>
    %down = transform.param.constant 2 : i64 -> !transform.param<i64>
    %across = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    // expected-error @below {{is for a weight that is not packed}}
    transform.heddle.lower_linear_tiles %op kind(#heddle.fma<f32>) block(%rows x %columns) depth(%depth)
        warps(%down x %across) threads(%threads) blocks(%one) stages(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %w: tensor<1x8x16xf32>) -> tensor<3x16xf32> {
    %0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<1x8x16xf32>) -> tensor<3x16xf32>
    return %0 : tensor<3x16xf32>
  }
}
// -----
module attributes {transform.with_named_sequence, heddle.sizes = [{name = "k", low = 1, high = 64, placeholder = 4001}]} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 64 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 64 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 16 : i64 -> !transform.param<i64>
    %down = transform.param.constant 2 : i64 -> !transform.param<i64>
    %across = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    // expected-error @below {{is for a weight of fixed size}}
    transform.heddle.lower_linear_tiles %op kind(#heddle.fma<f32>) block(%rows x %columns) depth(%depth)
        warps(%down x %across) threads(%threads) blocks(%one) stages(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x4001xf32>, %w: tensor<4001x5xf32>) -> tensor<3x5xf32> {
    %0 = heddle.linear %x, %w : (tensor<3x4001xf32>, tensor<4001x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 64 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 64 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 0 : i64 -> !transform.param<i64>
    %down = transform.param.constant 2 : i64 -> !transform.param<i64>
    %across = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    // expected-error @below {{expects positive integers as block, depth, warps, threads, blocks and stages}}
    transform.heddle.lower_linear_tiles %op kind(#heddle.fma<f32>) block(%rows x %columns) depth(%depth)
        warps(%down x %across) threads(%threads) blocks(%one) stages(%one) : !transform.any_op
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
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 64 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 64 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 16 : i64 -> !transform.param<i64>
    %down = transform.param.constant 1152921504606846976 : i64 -> !transform.param<i64>
    %across = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    // expected-error @below {{expects 1 to 32 warps, found 1152921504606846976 x 1}}
    transform.heddle.lower_linear_tiles %op kind(#heddle.fma<f32>) block(%rows x %columns) depth(%depth)
        warps(%down x %across) threads(%threads) blocks(%one) stages(%one) : !transform.any_op
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
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 48 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 64 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 16 : i64 -> !transform.param<i64>
    %down = transform.param.constant 2 : i64 -> !transform.param<i64>
    %across = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    // expected-error @below {{expects a block of whole fragments of 2 x 1 warps, found 48 x 64 x 16}}
    transform.heddle.lower_linear_tiles %op kind(#heddle.fma<f32>) block(%rows x %columns) depth(%depth)
        warps(%down x %across) threads(%threads) blocks(%one) stages(%one) : !transform.any_op
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
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 128 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 128 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 16 : i64 -> !transform.param<i64>
    %down = transform.param.constant 2 : i64 -> !transform.param<i64>
    %across = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    // expected-error @below {{expects at most 128 sums a lane, found 256}}
    transform.heddle.lower_linear_tiles %op kind(#heddle.fma<f32>) block(%rows x %columns) depth(%depth)
        warps(%down x %across) threads(%threads) blocks(%one) stages(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) -> tensor<3x5xf32> {
    %0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
}
// -----
// A sum in f64 occupies two registers, so a lane may have only half as many sums as in f32.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 128 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 8 : i64 -> !transform.param<i64>
    %two = transform.param.constant 2 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    // expected-error @below {{expects at most 64 sums a lane, found 128}}
    transform.heddle.lower_linear_tiles %op kind(#heddle.fma<f64>) block(%rows x %rows) depth(%depth)
        warps(%two x %two) threads(%threads) blocks(%two) stages(%two) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf64>, %w: tensor<8x5xf64>) -> tensor<3x5xf64> {
    %0 = heddle.linear %x, %w : (tensor<3x8xf64>, tensor<8x5xf64>) -> tensor<3x5xf64>
    return %0 : tensor<3x5xf64>
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 48 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 64 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 16 : i64 -> !transform.param<i64>
    %down = transform.param.constant 3 : i64 -> !transform.param<i64>
    %across = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 64 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    // expected-error @below {{cannot halve 3 x 1 warps until a workgroup has at most 64 threads}}
    transform.heddle.lower_linear_tiles %op kind(#heddle.fma<f32>) block(%rows x %columns) depth(%depth)
        warps(%down x %across) threads(%threads) blocks(%one) stages(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) -> tensor<3x5xf32> {
    %0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
}
// -----
module attributes {transform.with_named_sequence, heddle.strategy = {op = "linear", target = "cpu", features = [], priority = 1}} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["heddle.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.param.constant 64 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 64 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 16 : i64 -> !transform.param<i64>
    %down = transform.param.constant 2 : i64 -> !transform.param<i64>
    %across = transform.param.constant 1 : i64 -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    // expected-error @below {{is for strategies of devices, found target "cpu"}}
    transform.heddle.lower_linear_tiles %op kind(#heddle.fma<f32>) block(%rows x %columns) depth(%depth)
        warps(%down x %across) threads(%threads) blocks(%one) stages(%one) : !transform.any_op
    transform.yield
  }
  func.func @f(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>) -> tensor<3x5xf32> {
    %0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
}
