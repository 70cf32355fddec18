// RUN: heddle-opt %source/tests/strategies/Inputs/layer-norm-large.mlir --heddle-tile=strategy=layer_norm=%s --heddle-vectorize | FileCheck %s

// Layer norm with a result that is larger than the caches: nontemporal stores write the result past the caches, and the
// rows of the next tile are prefetched from memory meanwhile.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "layer_norm", target = "cpu", features = [], priority = 20}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.layer_norm"] : !transform.any_op
    transform.heddle.match_streams %op at_least(33554432) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The number of rows of a tile. Each row is a separate stream of loads and stores. On Zen4, tiles of 1 or 4 rows
    // are 3 to 5% slower than tiles of 2 rows.
    %rows = transform.tune.knob<"rows"> = 2 from options = [1, 2, 4, 8] -> !transform.param<i64>
    // The size of register tiles for contractions around the layer: columns of a panel, and accumulators of `lanes`
    // elements.
    %panel = transform.tune.knob<"panel"> = 16 from options = [16, 32, 48, 64]
      {defaults = [{vector_bits = 512, value = 48}]} -> !transform.param<i64>
    %registers = transform.tune.knob<"registers"> = 6 from options = [2, 6, 12, 24, 28]
      {defaults = [{vector_bits = 512, value = 24}]} -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %norm = transform.structured.match ops{["heddle.layer_norm"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_norm %norm rows(%rows) streams : !transform.any_op
    // The rest of the kernel: layout changes and elementwise operations around the layer.
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in cpu.mlir
}

// CHECK: heddle.stream_results
// Rows are summed one after the other.
// CHECK-COUNT-2: scf.for
// CHECK-NOT: linalg.
