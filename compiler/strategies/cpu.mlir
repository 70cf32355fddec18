// Named sequences that strategies for CPUs share. A strategy that declares a sequence without a body uses the sequence
// of this name in this file.
module attributes {transform.with_named_sequence} {
  // The form in which the weight of a layer with rounded rows is stored. The code for several classes of sizes, and for
  // several CPUs, shares a weight, so every strategy that lowers to products of rounded rows uses this form. Returns
  // the parameters `panel`, `interleaved` and `unsigned` of lower_rounded_linear.
  transform.named_sequence @rounded_weight()
      -> (!transform.param<i64>, !transform.param<i64>, !transform.param<i64>) {
    // The number of columns of a panel, which is also that of a register tile: with AVX-512, a tile has sums for 8 rows
    // x 3 vectors, as for f32. With AVX2, which has a quarter of the register file, a tile is one vector wide.
    %panel = transform.tune.knob<"panel"> = 16 from options = [16, 32, 48, 64]
      {defaults = [{vector_bits = 512, value = 48}]} -> !transform.param<i64>
    // The number of interleaved panels; 0: panels in memory are as wide as the tile. In a library for several CPUs, all
    // panels are as narrow as the CPU with the narrowest vectors needs, and a wide tile uses several interleaved
    // panels.
    %interleaved = transform.tune.knob<"interleaved"> = 0 from options = [0, 3]
      {defaults = [{shared_bits = 512, value = 3}]} -> !transform.param<i64>
    // If 1, one operand of the products of bytes is unsigned, as in the instructions of x86 and of Arm's feature i8mm.
    // On Arm CPUs that have only the feature dotprod, both operands are signed.
    %unsigned = transform.tune.knob<"unsigned_dots"> = 1 from options = [0, 1] -> !transform.param<i64>
    transform.yield %panel, %interleaved, %unsigned
      : !transform.param<i64>, !transform.param<i64>, !transform.param<i64>
  }
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
