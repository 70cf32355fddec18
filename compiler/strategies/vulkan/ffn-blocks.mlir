// RUN: heddle-opt %source/tests/strategies/Inputs/ffn.mlir --heddle-tile="target=vulkan strategy=ffn=%s" --heddle-vectorize | FileCheck %s

// A feed-forward layer is decomposed into the linear layers before and after the hidden tensor. Each linear layer is a
// blocked matrix product.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "ffn", target = "vulkan", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.ffn"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    // A workgroup computes `block_rows` x `panel` elements of the result, in steps of `depth` terms of the contraction.
    // A thread computes `thread_rows` rows x `thread_vectors` vectors of 4 columns.
    %rows = transform.tune.knob<"block_rows"> = 64 from options = [32, 64, 128] -> !transform.param<i64>
    %columns = transform.tune.knob<"panel"> = 64 from options = [32, 64, 128] -> !transform.param<i64>
    %depth = transform.tune.knob<"depth"> = 32 from options = [8, 16, 32] -> !transform.param<i64>
    %high = transform.tune.knob<"thread_rows"> = 8 from options = [4, 8] -> !transform.param<i64>
    %wide = transform.tune.knob<"thread_vectors"> = 2 from options = [1, 2] -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %ffn = transform.structured.match ops{["heddle.ffn"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.decompose_ffn %ffn : !transform.any_op
    transform.heddle.generalize %func : !transform.any_op
    %linear = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.pack_weight %linear panel(%columns) : !transform.any_op
    transform.heddle.lower_linear_blocks %linear block(%rows x %columns) depth(%depth) registers(%high x %wide)
        : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in gpu.mlir
}

// CHECK: scf.forall
// CHECK-NOT: heddle.linear
// CHECK-NOT: linalg.
