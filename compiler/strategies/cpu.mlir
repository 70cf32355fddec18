// Sequences that strategies of this target take by declaring them.
module attributes {transform.with_named_sequence} {
  // Tiles that lie in registers (dialect/RATIONALE.md has both).
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
  // Blocks that lie in a cache.
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
