// Sequences that strategies of this target take by declaring them.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    // A thread's vectors are 128 bits wide.
    %lanes = transform.param.constant 4 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 128 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 64 : i64 -> !transform.param<i64>
    transform.heddle.vectorize %func lanes(%lanes) registers(%registers x %bits) : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
