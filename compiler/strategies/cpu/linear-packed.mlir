// RUN: heddle-opt %source/tests/strategies/Inputs/linear.mlir --heddle-tile="%{avx512} strategy=linear=%s" --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/linear.mlir --heddle-tile="%{avx512} strategy=linear=%s" --heddle-vectorize --heddle-assign-weights \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE
// RUN: heddle-opt %source/tests/strategies/Inputs/linear.mlir --heddle-tile=strategy=linear=%s --heddle-vectorize | FileCheck %s --check-prefix=NARROW
// RUN: heddle-opt %source/tests/strategies/Inputs/linear.mlir --heddle-tile="limits=vector_bits=128,vector_registers=32 strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=NARROW
// RUN: heddle-opt %source/tests/strategies/Inputs/linear.mlir --heddle-tile="%{avx512},shared_bits=512 strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=SHARED
// RUN: heddle-opt %source/tests/strategies/Inputs/linear.mlir --heddle-tile="limits=shared_bits=512 strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=BESIDE
// RUN: heddle-opt %source/tests/strategies/Inputs/linear.mlir --heddle-tile="limits=shared_bits=256 strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=NARROW
// RUN: heddle-opt %source/tests/strategies/Inputs/linear.mlir --heddle-tile="%{avx512} strategy=linear=%s:vector_bits=256" --heddle-vectorize | FileCheck %s --check-prefix=NARROW

// A linear layer with its weight packed into panels (groups of adjacent columns that are stored row after row). Scalars
// of the rows are multiplied by contiguous vectors of the weight. The sums of a register tile stay in registers until
// bias, activation and residual have been applied.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "linear", target = "cpu", features = [], priority = 20}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.linear"] : !transform.any_op
    transform.heddle.match_rounding %op absent : !transform.any_op
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

// There are two full panels and a panel of 4 columns, whose vector is masked.
// CHECK: func.func private @k0({{.*}}tensor<3x64x48xf32>
// CHECK: scf.forall (%{{.*}}) in (2)
// The loop over the contraction carries the register tile. The activation is applied to the tile in registers.
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>
// CHECK: vector.fma
// CHECK: math.erf
// CHECK: vector.constant_mask [4]
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.alloc
// INPLACE-NOT: memref.copy
// The code is the same for AVX2, for NEON, and for AVX-512 if vectors of 256 bits are chosen.
// NARROW: func.func private @k0({{.*}}tensor<7x64x16xf32>
// NARROW: scf.for {{.*}} -> (vector<16xf32>
// NARROW-COUNT-5: vector.fma
// NARROW-NOT: vector.fma
// NARROW: math.erf
// NARROW-NOT: linalg.
// In a library for several CPUs, a tile uses three interleaved panels, each of which is one vector wide.
// SHARED: func.func private @k0({{.*}}tensor<3x3x64x16xf32>
// SHARED: tensor.extract_slice %{{.*}} [3, 1, 64, 16] [1, 1, 1, 1] : tensor<3x3x64x16xf32> to tensor<3x64x16xf32>
// SHARED: scf.for %[[$K:[a-z0-9]+]] = {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>
// SHARED: vector.transfer_read %[[$PANELS:[a-z0-9_]+]][%c0, %[[$K]], %c0]{{.*}} : tensor<3x64x16xf32>, vector<16xf32>
// SHARED: vector.transfer_read %[[$PANELS]][%c1, %[[$K]], %c0]{{.*}} : tensor<3x64x16xf32>, vector<16xf32>
// SHARED: vector.transfer_read %[[$PANELS]][%c2, %[[$K]], %c0]{{.*}} : tensor<3x64x16xf32>, vector<16xf32>
// SHARED-NOT: linalg.
// In the same library, the code for CPUs with narrower vectors uses one of the interleaved panels at a time. If the
// library has no code for a CPU with wider vectors, no panels are interleaved.
// BESIDE: func.func private @k0({{.*}}tensor<3x3x64x16xf32>
// BESIDE: scf.forall (%{{.*}}) in (6)
// BESIDE: tensor.extract_slice %{{.*}} [1, 1, 64, 16] [1, 1, 1, 1] : tensor<3x3x64x16xf32> to tensor<64x16xf32>
// BESIDE-NOT: linalg.
