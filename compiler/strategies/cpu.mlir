// Named sequences that strategies for CPUs share. A strategy that declares a sequence without a body uses the sequence
// of this name in this file.
module attributes {transform.with_named_sequence} {
  // Vectorizes small tiles, which are unrolled and passed from op to op in registers.
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md). The registers of the CPU limit how many
    // of these vectors are used at a time.
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The width of the CPU's vector registers in bits, and the number of these registers.
    %bits = transform.tune.knob<"vector_bits"> = 256 from options = [128, 256, 512] -> !transform.param<i64>
    %registers = transform.tune.knob<"vector_registers"> = 16 from options = [16, 32] -> !transform.param<i64>
    transform.heddle.vectorize %func lanes(%lanes) registers(%registers x %bits) : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %func : !transform.any_op
    transform.yield
  }
  // Vectorizes larger blocks, which fit into a cache: each op becomes loops over the register tiles of a block.
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
