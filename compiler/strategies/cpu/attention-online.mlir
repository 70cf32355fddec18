// Attention that never stores the score matrix: queries lie in vector lanes, the
// softmax runs online over blocks of keys, blocks that masks remove are skipped.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %q = transform.tune.knob<"block_q"> = 64 from options = [16, 32, 48, 64] -> !transform.param<i64>
    %k = transform.tune.knob<"block_k"> = 128 from options = [32, 64, 96, 128, 192, 256] -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention %op block_q(%q) block_k(%k)
      : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    transform.heddle.vectorize_lanes %func : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
