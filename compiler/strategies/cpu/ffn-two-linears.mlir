// RUN: heddle-opt %source/tests/strategies/Inputs/ffn.mlir --heddle-tile="%{avx512} strategy=ffn=%s" --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/ffn.mlir --heddle-tile="%{avx512} strategy=ffn=%s" --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE
// RUN: heddle-opt %source/tests/strategies/Inputs/ffn.mlir --heddle-tile=strategy=ffn=%s --heddle-vectorize | FileCheck %s --check-prefix=NARROW

// A feed-forward layer is decomposed into linear layers, each with its weight packed into panels (groups of adjacent
// columns that are stored row after row). The hidden tensor is written to memory once.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "ffn", target = "cpu", features = [], priority = 20}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.ffn"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The number of columns of a panel, and of a register tile.
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
    %ffn = transform.structured.match ops{["heddle.ffn"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.decompose_ffn %ffn : !transform.any_op
    transform.heddle.generalize %func : !transform.any_op
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

// Three products follow each other: the gate with its activation; the up projection, multiplied by the gate; and the
// down projection, to which the residual is added.
// CHECK-COUNT-2: scf.for {{.*}} -> (vector<16xf32>
// CHECK: scf.for {{.*}} -> (vector<16xf32>
// CHECK: arith.addf
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.copy
// NARROW-COUNT-3: scf.for {{.*}} -> (vector<16xf32>
// NARROW-NOT: linalg.
