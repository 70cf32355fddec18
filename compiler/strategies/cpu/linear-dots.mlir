// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded.mlir --heddle-tile="%{avx512} strategy=linear=%s" --heddle-vectorize | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded.mlir --heddle-tile="%{avx512} strategy=linear=%s" --heddle-vectorize --heddle-assign-weights \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --cse --canonicalize | FileCheck %s --check-prefix=INPLACE
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded.mlir --heddle-tile=strategy=linear=%s --heddle-vectorize | FileCheck %s --check-prefix=NARROW
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded.mlir --heddle-tile="%{avx512},shared_bits=512 strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=SHARED
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded.mlir --heddle-tile="limits=unsigned_dots=0 strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=SIGNED
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded-blocks.mlir --heddle-tile="%{avx512} strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=BLOCKS
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded-gelu.mlir --heddle-tile="%{avx512} strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=PARTS
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded.mlir --heddle-tile="limits=dot_bits=16 strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=WORDS
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded.mlir --heddle-tile="limits=dot_bits=16,vector_bits=256 strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=FIVE
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded-blocks.mlir --heddle-tile="limits=dot_bits=16 strategy=linear=%s" --heddle-vectorize | FileCheck %s --check-prefix=WORDS

// A linear layer that rounds the rows of its input to the type of its stored weight (i8 or bf16). The layer is tiled as
// in linear-packed.mlir, but each lane multiplies four bytes (or two numbers of 16 bits) at a time. The size of tiles
// does not change results: sums of integers are exact in any order, and every tile adds the products of bf16 numbers in
// the same order.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "linear", target = "cpu", features = [], priority = 40}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.linear"] : !transform.any_op
    transform.heddle.match_rounding %op dots : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // Vectors in the IR have 16 elements on every CPU (dialect/RATIONALE.md).
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %panel, %interleaved, %unsigned = transform.include @rounded_weight failures(propagate) ()
      : () -> (!transform.param<i64>, !transform.param<i64>, !transform.param<i64>)
    // The number of accumulators of `lanes` elements in a register tile: 8 rows x 3 vectors with AVX-512. With AVX2, a
    // library that also has code for a CPU with a dot product of bytes emulates it, which needs some registers, so a
    // tile has sums for 4 rows x 1 vector. Dot products of 16-bit integers, and sums of 16 bits, do not need these
    // registers. With 16-bit integers, tiles of 6 rows x 1 vector (as for f32) take 0.98 times as long as tiles of 4
    // rows, or 0.94 times if blocks have scales.
    %registers = transform.tune.knob<"registers"> = 4 from options = [2, 4, 6, 12, 24, 28]
      {defaults = [{dot_bits = 16, vector_bits = 256, value = 6}, {vector_bits = 512, value = 24}]} -> !transform.param<i64>
    // For an x86 CPU without a dot product of bytes, this knob is 16, unless the library also has code for a CPU that has
    // one. The elements of rows are then stored as 16-bit integers: they are widened once, when they are rounded, and
    // not for every panel. But if the weight stays in 4 bits, rows are stored as bytes, and the sums have 16 bits.
    %row_bits = transform.tune.knob<"dot_bits"> = 8 from options = [8, 16] -> !transform.param<i64>
    // How panels of the weight are read: the maximum size of a panel in KiB (a larger one is cut along the contraction;
    // 0: no maximum), the prefetch distance in panels, the minimum number of rows of a task that prefetches, and the
    // level of the cache to prefetch into. If blocks have scales, panels are not cut, the distance is in units of 8 KiB,
    // and only layers whose rows fit into one tile prefetch.
    %kib = transform.tune.knob<"panel_kib"> = 320 from options = [0, 160, 320, 640, 1280] -> !transform.param<i64>
    %prefetch_panels = transform.tune.knob<"prefetch_panels"> = 1 from options = [0, 1, 2] -> !transform.param<i64>
    %prefetch_rows = transform.tune.knob<"prefetch_rows"> = 16 from options = [1, 2, 4, 7, 8, 16, 17] -> !transform.param<i64>
    %cache = transform.tune.knob<"prefetch_cache"> = 1 from options = [1, 2, 3] -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %linear = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_rounded_linear %linear lanes(%lanes) panel(%panel) interleaved(%interleaved) registers(%registers)
        unsigned(%unsigned) row_bits(%row_bits) weight(%kib, %prefetch_panels, %prefetch_rows, %cache) : !transform.any_op
    // The rest of the kernel: layout changes and elementwise operations around the layer.
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @rounded_weight() // defined in cpu.mlir
      -> (!transform.param<i64>, !transform.param<i64>, !transform.param<i64>)
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in cpu.mlir
}

// The weight is in panels of 48 columns, with four adjacent rows in each lane. The second argument contains the scales
// of the columns and then the sums of the columns.
// CHECK: func.func private @k0({{.*}}tensor<3x16x48x4xi8>, %{{.*}}: tensor<2x100xf32>
// Rows are rounded once.
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: scf.for {{.*}} -> (vector<16xi32>, vector<16xi32>, vector<16xi32>
// CHECK: heddle.dot {{.*}} unsigned : vector<64xi8>, vector<16xi32>
// The outlier channels are not rounded.
// CHECK: vector.fma
// CHECK: math.erf
// CHECK-NOT: linalg.
// INPLACE-NOT: memref.copy
// NARROW: func.func private @k0({{.*}}tensor<7x16x16x4xi8>
// NARROW: heddle.dot {{.*}} : vector<64xi8>, vector<16xi32>
// NARROW-NOT: linalg.
// SHARED: func.func private @k0({{.*}}tensor<3x3x16x16x4xi8>
// SHARED: heddle.dot {{.*}} unsigned : vector<64xi8>, vector<16xi32>
// SHARED-NOT: linalg.
// SIGNED: heddle.dot
// SIGNED-NOT: unsigned :
// SIGNED-NOT: linalg.
// The zero points have been subtracted from the 16-bit integers of the rows. Therefore the layer needs no sums of the
// weight's columns to correct the products.
// WORDS-NOT: #heddle.block_sums
// WORDS: arith.trunci {{.*}} : vector<16xi32> to vector<16xi16>
// WORDS: heddle.dot {{.*}} : vector<32xi16>, vector<16xi32>
// WORDS-NOT: #heddle.block_sums
// WORDS-NOT: #heddle.add
// WORDS: depth 2>
// FIVE: arith.trunci {{.*}} : vector<16xi32> to vector<16xi16>
// FIVE-COUNT-5: heddle.dot {{.*}} : vector<32xi16>, vector<16xi32>
// FIVE-NOT: heddle.dot
// FIVE: scf.yield
// GELU is applied to half of a tile at a time. The sums of the other half stay in registers meanwhile.
// PARTS: scf.for {{.*}} -> (vector<16xi32>, vector<16xi32>, vector<16xi32>
// PARTS-COUNT-24: heddle.dot
// PARTS-COUNT-12: arith.sitofp
// PARTS-NOT: arith.sitofp
// PARTS-COUNT-12: math.erf
// PARTS-NOT: math.erf
// PARTS-COUNT-12: arith.sitofp
// PARTS-NOT: vector.transfer_read {{.*}} vector<16xi32>
// PARTS-COUNT-12: math.erf
// PARTS-NOT: linalg.
// Each block of 32 elements of a row has a scale: first the extrema of all blocks are found, then all scales are
// computed by divisions, then the elements are rounded to integers.
// BLOCKS: func.func private @k0({{.*}}tensor<1x16x48x4xi8>
// BLOCKS: scf.for
// BLOCKS: arith.maxsi
// BLOCKS-NOT: arith.divf
// BLOCKS: scf.yield
// BLOCKS: arith.divf {{.*}} : vector<16xf32>
// BLOCKS: scf.for
// BLOCKS-NOT: arith.divf
// BLOCKS: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// 128 was added to each byte of the weight (in i8, adding -128 gives the same bits), so the sums of a block start at
// -128 x the sum of the row's block. The sums of a block are scaled before they are added to the sums of the row.
// BLOCKS: scf.for
// BLOCKS: arith.muli {{.*}} : i32
// BLOCKS: scf.for {{.*}} = %c0 to %c8 step %c1 {{.*}} -> (vector<16xi32>
// BLOCKS: heddle.dot {{.*}} unsigned : vector<64xi8>, vector<16xi32>
// BLOCKS: arith.sitofp {{.*}} : vector<16xi32> to vector<16xf32>
// BLOCKS: vector.fma
// BLOCKS-NOT: linalg.
// BLOCKS: heddle.weight "w" via [#heddle.quantize<8, [32, 1]>, #heddle.add<-128>, #heddle.pack<48, depth 4>]
// The scales of blocks are packed into panels like the weight.
// BLOCKS-NEXT: heddle.weight "w" via [#heddle.scales<8, [32, 1]>, #heddle.pack<48>] : tensor<1x2x48xf32>
