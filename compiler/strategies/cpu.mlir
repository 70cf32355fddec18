// Named sequences that strategies for CPUs share. A strategy uses one by declaring it without a body.
module attributes {transform.with_named_sequence} {
  // For small tiles, which are unrolled and passed from op to op in registers (see dialect/RATIONALE.md).
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %bits = transform.tune.knob<"vector_bits"> = 256 from options = [128, 256, 512] -> !transform.param<i64>
    %registers = transform.tune.knob<"vector_registers"> = 16 from options = [16, 32] -> !transform.param<i64>
    transform.heddle.vectorize %func lanes(%lanes) registers(%registers x %bits) : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %func : !transform.any_op
    transform.yield
  }
  // For blocks of data that lie in a cache, through which each op runs loops over register tiles.
  transform.named_sequence @vectorize_blocks(%func: !transform.any_op {transform.readonly}) {
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %bits = transform.tune.knob<"vector_bits"> = 256 from options = [128, 256, 512] -> !transform.param<i64>
    %registers = transform.tune.knob<"vector_registers"> = 16 from options = [16, 32] -> !transform.param<i64>
    transform.heddle.vectorize %func lanes(%lanes) blocks registers(%registers x %bits) : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
