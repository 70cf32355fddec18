// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded-any.mlir --heddle-tile="%{avx512} strategy=linear=%s" --heddle-vectorize | FileCheck %s

// A linear layer that rounds the rows of its input to any type. This strategy is the default where linear-dots is not
// eligible, for example if the weight is stored in a type other than that to which rows are rounded. Rows are rounded
// and written in the type of the input, and the layer is then lowered as in linear-packed.mlir.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "linear", target = "cpu", features = [], priority = 3}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.linear"] : !transform.any_op
    transform.heddle.match_rounding %op : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The columns of a panel (`panel`) and the number of accumulators (`registers`) determine the register tile. With
    // AVX-512, accumulators for 8 rows x 3 vectors leave registers for the weights and one scalar. With AVX2, which has
    // a quarter of the register file, accumulators for 6 rows x 1 vector leave enough registers.
    %panel = transform.tune.knob<"panel"> = 16 from options = [16, 32, 48, 64]
      {defaults = [{vector_bits = 512, value = 48}]} -> !transform.param<i64>
    // The number of interleaved panels; 0: panels in memory are as wide as the tile. In a library for several CPUs, all
    // panels are as narrow as the CPU with the narrowest vectors needs, and a wide tile uses several interleaved
    // panels.
    %interleaved = transform.tune.knob<"interleaved"> = 0 from options = [0, 3]
      {defaults = [{shared_bits = 512, value = 3}]} -> !transform.param<i64>
    // The number of accumulators of `lanes` elements in a register tile.
    %registers = transform.tune.knob<"registers"> = 6 from options = [2, 6, 12, 24, 28]
      {defaults = [{vector_bits = 512, value = 24}]} -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %rounding = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.round_rows %rounding : !transform.any_op
    %linear = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.pack_weight %linear panel(%panel) shared(%interleaved, %lanes) : !transform.any_op
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in cpu.mlir
}

// Rows are rounded to f16 and converted back to f32.
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xf16>
// CHECK: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>
// CHECK: vector.fma
// CHECK-NOT: linalg.
