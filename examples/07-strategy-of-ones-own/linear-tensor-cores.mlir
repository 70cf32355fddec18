// A user's own strategy for linear layers in bf16 on NVIDIA GPUs. The strategy defines how a layer is divided: into
// blocks of the result, steps along the contraction, and parts for warps. It contains no threads, barriers or
// instructions; Heddle derives them from the kind of product, `#heddle.mma<bf16>`, which is an instruction of tensor
// cores. To use another block size or number of stages, change one line; the kind is in two lines.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "linear", target = "cuda", features = [], priority = 20}
} {
  // Selects layers whose products this kind can compute. For other layers, the strategy is not eligible.
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.linear"] : !transform.any_op
    transform.heddle.match_linear_tiles %op kinds([#heddle.mma<bf16>]) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // A workgroup computes 64 x 128 elements of the result, in steps of 32 terms of the contraction. Its four warps are
    // in two rows and two columns. The copies of two later steps are under way while a step computes.
    %rows = transform.param.constant 64 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 128 : i64 -> !transform.param<i64>
    %depth = transform.param.constant 32 : i64 -> !transform.param<i64>
    %two = transform.param.constant 2 : i64 -> !transform.param<i64>
    %stages = transform.param.constant 3 : i64 -> !transform.param<i64>
    // A workgroup has at most 256 threads. A block of a small layer is halved until there are 128 blocks or it has at
    // most 64 rows and columns.
    %most = transform.param.constant 256 : i64 -> !transform.param<i64>
    %blocks = transform.param.constant 128 : i64 -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %linear = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_linear_tiles %linear kind(#heddle.mma<bf16>) block(%rows x %columns) depth(%depth)
        warps(%two x %two) threads(%most) blocks(%blocks) stages(%stages) : !transform.any_op
    // Lowers layout changes and elementwise operations around the layer.
    transform.heddle.lower_elements %func threads(%most) : !transform.any_op
    transform.yield
  }
  // This declaration refers to the implementation that all GPU strategies share.
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly})
}
