// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rows.mlir --heddle-tile="%{avx512} strategy=linear=%s" --heddle-vectorize --heddle-assign-weights \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rows.mlir --heddle-tile="strategy=linear=%s" --heddle-vectorize --heddle-assign-weights \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s

// A linear layer in blocks of rows: a task computes whole rows, one panel of the weight after the other. It can
// therefore prefetch every panel except the first before it needs the panel. Every task reads the whole weight. On Zen4
// this strategy is no faster than linear-packed: MiniLM with 512 tokens takes 1.00 to 1.01 times as long. It is meant
// for CPUs with other caches.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "linear", target = "cpu", features = [], priority = 4}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.linear"] : !transform.any_op
    transform.heddle.match_rounding %op absent : !transform.any_op
    transform.heddle.match_rows %op at_least(256) in_blocks_of(64) : !transform.any_op
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
    // How panels of the weight are read: the maximum size of a panel in KiB (a larger one is cut along the contraction;
    // 0: no maximum), the prefetch distance in panels, the minimum number of rows of a task that prefetches, and the
    // level of the cache to prefetch into.
    %kib = transform.tune.knob<"panel_kib"> = 320 from options = [0, 160, 320, 640, 1280] -> !transform.param<i64>
    %prefetch_panels = transform.tune.knob<"prefetch_panels"> = 1 from options = [0, 1, 2] -> !transform.param<i64>
    %prefetch_rows = transform.tune.knob<"prefetch_rows"> = 16 from options = [1, 2, 4, 7, 8, 16, 17] -> !transform.param<i64>
    %cache = transform.tune.knob<"prefetch_cache"> = 1 from options = [1, 2, 3] -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    // The maximum number of rows that a task computes.
    %rows = transform.tune.knob<"rows"> = 64 from options = [32, 64, 96, 128, 256] -> !transform.param<i64>
    %whole = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.block_rows %whole rows(%rows) : !transform.any_op
    %linear = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.pack_weight %linear panel(%panel) shared(%interleaved, %lanes) : !transform.any_op
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %prefetch_panels, %prefetch_rows, %cache)
        : !transform.any_op
    // The rest of the kernel: layout changes and elementwise operations around the layer.
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in cpu.mlir
}

// Four tasks compute blocks of rows. The layer in a task has a loop over tasks of its own.
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK: scf.forall
// CHECK: memref.prefetch
// CHECK-NOT: linalg.
// CHECK-NOT: memref.copy
