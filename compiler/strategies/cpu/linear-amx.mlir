// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded.mlir --heddle-tile="%{amx} strategy=linear=%s" --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded.mlir --heddle-tile="%{amx} strategy=linear=%s" --heddle-vectorize --heddle-assign-weights \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded-bf16.mlir --heddle-tile="%{amx} strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=BF16
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded-many-blocks.mlir --heddle-tile="%{amx} strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=BLOCKS
// RUN: not heddle-opt %source/tests/strategies/Inputs/linear-rounded-blocks.mlir --heddle-tile="%{amx} strategy=linear=%s" 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not heddle-opt %source/tests/strategies/Inputs/linear-rounded.mlir --heddle-tile="%{avx512} strategy=linear=%s" 2>&1 | FileCheck %s --check-prefix=LACKS

// A linear layer that rounds the rows of its input to the type of its stored weight (i8 or bf16), for CPUs with the
// matrix instructions of Intel AMX. The weight has the form of linear-dots.mlir, so that a library for several CPUs
// contains it once. One instruction multiplies 16 rows by 16 columns, with 64 bytes of each row and column. Layers with
// few rows are left to linear-dots.mlir, since the instruction takes as long for fewer rows.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "linear", target = "cpu", features = ["amx-bf16", "amx-int8"], priority = 50}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.linear"] : !transform.any_op
    // The numbers of rows from which matrix instructions are faster than vector instructions (bench/MEASUREMENTS.md).
    // Matrix instructions are faster even if each of them multiplies only 8 steps (of 4 bytes) instead of 16.
    transform.heddle.match_matrices %op rows(8) block_rows(128) bf16_rows(2) steps(8) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %panel, %interleaved, %unsigned = transform.include @rounded_weight failures(propagate) ()
      : () -> (!transform.param<i64>, !transform.param<i64>, !transform.param<i64>)
    // A tile has 32 rows if the sums of 32 rows fill at most this number of vectors of `lanes` elements, otherwise 16
    // rows. The default allows 32 rows of a panel of 48 columns. If each block of a row has a scale, the limit is half
    // of this number.
    %sums = transform.tune.knob<"sums"> = 96 from options = [32, 48, 64, 96, 128, 192] -> !transform.param<i64>
    // Matrix instructions multiply bytes. Every CPU that has them has the fact dot_bits = 8, so linear-dots.mlir stores
    // weights for products of bytes, too.
    %row_bits = transform.param.constant 8 : i64 -> !transform.param<i64>
    // How panels of the weight are read: the maximum size of a panel in KiB (unused), the prefetch distance in panels,
    // the minimum number of rows of a task that prefetches, and the level of the cache to prefetch into.
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %prefetch_panels = transform.tune.knob<"prefetch_panels"> = 1 from options = [0, 1, 2] -> !transform.param<i64>
    %prefetch_rows = transform.tune.knob<"prefetch_rows"> = 16 from options = [1, 2, 4, 7, 8, 16, 17] -> !transform.param<i64>
    %cache = transform.tune.knob<"prefetch_cache"> = 2 from options = [1, 2, 3] -> !transform.param<i64>
    // The number of accumulators of a register tile, for the rest of the kernel.
    %registers = transform.tune.knob<"registers"> = 24 from options = [2, 4, 6, 12, 24, 28] -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %linear = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_rounded_linear %linear matrices lanes(%lanes) panel(%panel) interleaved(%interleaved)
        registers(%sums) unsigned(%unsigned) row_bits(%row_bits)
        weight(%kib, %prefetch_panels, %prefetch_rows, %cache) : !transform.any_op
    // The rest of the kernel: layout changes and elementwise operations around the layer.
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @rounded_weight() // defined in cpu.mlir
      -> (!transform.param<i64>, !transform.param<i64>, !transform.param<i64>)
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in cpu.mlir
}

// The weight is packed as for vectors. The 20 rows are a tile of 16 rows and a tile of 4 rows, for which the last 16
// rows are multiplied. The sums lie in memory, and a loop converts those of four rows at a time.
// CHECK: func.func private @k0({{.*}}tensor<3x16x48x4xi8>, %{{.*}}: tensor<2x100xf32>
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: heddle.tile_product {{.*}} from_zero kind(#heddle.amx_i8<steps = 16, unsigned = rows>) {{.*}} : tensor<16x16x4xi8>, tensor<16x192xi8>, tensor<16x48xi32>
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c4
// CHECK: arith.sitofp
// CHECK: math.erf
// CHECK: heddle.tile_product {{.*}} : tensor<16x16x4xi8>, tensor<16x192xi8>, tensor<16x48xi32>
// CHECK: math.erf
// Only 4 columns of the last panel belong to the result, while a tile of sums has 16 columns.
// CHECK: heddle.tile_product {{.*}} : tensor<16x16x4xi8>, tensor<16x64xi8>, tensor<16x16xi32>
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.copy
// The 40 rows are a block of 32 rows and a block of 8 rows, for which the last 16 rows are multiplied.
// BF16: heddle.tile_product {{.*}} from_zero kind(#heddle.amx_bf16<steps = 16>) {{.*}} : tensor<32x48x2xbf16>, tensor<48x96xbf16>, tensor<32x48xf32>
// BF16: heddle.tile_product {{.*}} : tensor<16x48x2xbf16>, tensor<48x96xbf16>, tensor<16x48xf32>
// A block of 32 elements has 8 steps. The sums of a block start at -128 x the sum of the row's block, because 128 was
// added to each byte of the weight.
// BLOCKS: scf.for
// BLOCKS: arith.muli {{.*}} : i32
// BLOCKS: heddle.tile_product %{{.*}}, %{{.*}} into %{{.*}} kind(#heddle.amx_i8<steps = 8, unsigned = weight>) : tensor<16x8x4xi8>, tensor<8x192xi8>, tensor<16x48xi32>
// BLOCKS: arith.sitofp
// FEW: needs at least 128 rows, found at most 4
// LACKS: needs amx-bf16, which code for this CPU cannot use
