// Named sequences that strategies for GPUs share. A strategy that declares a sequence without a body uses the sequence
// of this name in this file.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    // The vectors of a thread have 4 elements of f32. These are 128 bits, the size of a thread's widest load and store.
    %lanes = transform.param.constant 4 : i64 -> !transform.param<i64>
    %bits = transform.tune.knob<"vector_bits"> = 128 from options = [128] -> !transform.param<i64>
    %registers = transform.tune.knob<"vector_registers"> = 64 from options = [64] -> !transform.param<i64>
    transform.heddle.vectorize %func lanes(%lanes) registers(%registers x %bits) : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
